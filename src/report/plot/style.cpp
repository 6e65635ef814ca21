// SPDX-License-Identifier: MIT
#include "report/plot/style.hpp"

namespace sheaf {

const char* plot_style() {
  return R"(
:root{--ink:#1b1f24;--soft:#57606a;--rule:#d0d7de;--paper:#fff;--panel:#f6f8fa;--faint:#8c959f;--cell:#0072b2;
--s0:#0072b2;--s1:#d55e00;--s2:#009e73;--s3:#b8578f;--s4:#c77f00;--s5:#3f97cf;--s6:#7a6c00;--s7:#444}
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#a4afba;--rule:#3a424c;--paper:#14181d;--panel:#1d232a;
--faint:#737d88;--cell:#1a8cd8;--s0:#56b4e9;--s1:#e8884a;--s2:#2bbf93;--s3:#dd8fbd;--s4:#e69f00;--s5:#8fd0f5;
--s6:#f0e442;--s7:#c3cbd3}}
@media print{:root{--ink:#000;--soft:#333;--rule:#bbb;--paper:#fff;--panel:#fff;--faint:#777;--cell:#0072b2;
--s0:#0072b2;--s1:#d55e00;--s2:#009e73;--s3:#b8578f;--s4:#c77f00;--s5:#3f97cf;--s6:#7a6c00;--s7:#444}}
.plot{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;font-size:12px}
.paper{fill:var(--paper)}
.label{fill:var(--soft)}.strong{fill:var(--ink);font-weight:600}
.halo{paint-order:stroke;stroke:var(--paper);stroke-width:3px}
.grid{stroke:var(--rule);stroke-width:.7;fill:none}
.axis{stroke:var(--soft);stroke-width:1;fill:none}
.spread{stroke:var(--ink);stroke-width:1.4;fill:none}
.mark{stroke:var(--ink);stroke-width:1;stroke-dasharray:3 3;fill:none}
.lane{fill:var(--panel);stroke:var(--rule);stroke-width:.5}
.cell{fill:var(--cell)}
.line{fill:none;stroke-width:1.6;stroke-linejoin:round}.thin{stroke-width:1;stroke-opacity:.45}
.thick{stroke-width:2.4}.dashed{stroke-dasharray:5 4}
.dot{fill-opacity:.75}
.s0,.dot.s0{fill:var(--s0);stroke:none}.s1,.dot.s1{fill:var(--s1);stroke:none}
.s2,.dot.s2{fill:var(--s2);stroke:none}.s3,.dot.s3{fill:var(--s3);stroke:none}
.s4,.dot.s4{fill:var(--s4);stroke:none}.s5,.dot.s5{fill:var(--s5);stroke:none}
.s6,.dot.s6{fill:var(--s6);stroke:none}.s7,.dot.s7{fill:var(--s7);stroke:none}
.faint,.dot.faint{fill:var(--faint);stroke:none}
.line.s0{stroke:var(--s0);fill:none}.line.s1{stroke:var(--s1);fill:none}.line.s2{stroke:var(--s2);fill:none}
.line.s3{stroke:var(--s3);fill:none}.line.s4{stroke:var(--s4);fill:none}.line.s5{stroke:var(--s5);fill:none}
.line.s6{stroke:var(--s6);fill:none}.line.s7{stroke:var(--s7);fill:none}.line.faint{stroke:var(--faint);fill:none}
.span{stroke:var(--paper);stroke-width:.4}
.busy1{fill-opacity:0.19;stroke:none}.busy2{fill-opacity:0.28;stroke:none}.busy3{fill-opacity:0.37;stroke:none}.busy4{fill-opacity:0.46;stroke:none}.busy5{fill-opacity:0.55;stroke:none}
.busy6{fill-opacity:0.64;stroke:none}.busy7{fill-opacity:0.73;stroke:none}.busy8{fill-opacity:0.82;stroke:none}.busy9{fill-opacity:0.91;stroke:none}.busy10{fill-opacity:1.0;stroke:none}
)";
}

const char* page_style() {
  return R"(
*{box-sizing:border-box}
html{color-scheme:light dark}
body{margin:0 auto;max-width:1240px;padding:16px;background:var(--paper);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
h1{font-size:1.5em;margin:.2em 0;overflow-wrap:anywhere}h2{font-size:1.2em;margin:1.6em 0 .5em;border-bottom:1px solid var(--rule)}
h3{font-size:1em;margin:0 0 .3em;overflow-wrap:anywhere}
p,ul,ol{margin:.4em 0 .8em}li{margin:.2em 0}
.soft{color:var(--soft)}.note{color:var(--soft);font-size:.87em;margin:.2em 0 0}
.verdict{font-size:1.1em;border-left:4px solid var(--s0);padding:.3em .8em;background:var(--panel);overflow-wrap:anywhere}
pre{background:var(--panel);border:1px solid var(--rule);border-radius:4px;padding:.6em .8em;overflow-x:auto;font-size:.87em;
white-space:pre-wrap;overflow-wrap:anywhere}.word{display:inline-block;max-width:100%}
nav{font-size:.9em}nav a{margin-right:1em;white-space:nowrap}a{color:var(--s0)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(135px,1fr));gap:8px;margin:.8em 0}
.tiles div{background:var(--panel);border:1px solid var(--rule);border-radius:4px;padding:.4em .7em}
.tiles b{display:block;font-size:1.15em;overflow-wrap:anywhere}.tiles span{color:var(--soft);font-size:.85em}
.pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr));gap:18px 26px}
figure{margin:0;min-width:0}figure.wide{grid-column:1/-1}
figure svg{display:block;width:100%;max-width:600px;height:auto}.wide svg{max-width:none}
.scroll{overflow-x:auto}.scroll>svg{min-width:680px}
table{border-collapse:collapse;font-size:.9em;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--soft);padding:.2em 0}
th,td{padding:.25em .7em;border-bottom:1px solid var(--rule);text-align:right;white-space:nowrap}
th{background:var(--panel);position:sticky;top:0}td.text,th.text{text-align:left}
td.long{white-space:normal;overflow-wrap:anywhere;min-width:12em}
tbody tr:hover{background:var(--panel)}
.board{max-height:32em;width:fit-content;max-width:100%;overflow:auto;border:1px solid var(--rule);margin:.8em 0}
th button{all:unset;cursor:pointer;font-weight:600}th button:focus-visible{outline:2px solid var(--s0)}
th[aria-sort=ascending] button::after{content:" \2191"}th[aria-sort=descending] button::after{content:" \2193"}
td svg.folds{width:110px;height:16px;display:block}
.filter{margin:.4em 0;display:none}.filter input{font:inherit;padding:.2em .5em;background:var(--paper);color:var(--ink);
border:1px solid var(--soft);border-radius:4px;max-width:100%}
#tip{position:fixed;z-index:9;pointer-events:none;background:var(--ink);color:var(--paper);padding:.2em .6em;border-radius:4px;
font-size:.85em;max-width:min(360px,90vw);display:none;overflow-wrap:anywhere}
footer{margin-top:2em;color:var(--soft);font-size:.87em}
@media print{body{max-width:none;padding:0}.board{max-height:none;overflow:visible;border:0}.filter,nav,#tip{display:none!important}
figure{break-inside:avoid}h2{break-after:avoid}.scroll{overflow:visible}.scroll>svg{min-width:0}th{position:static}}
)";
}

const char* page_script() {
  return R"(
(function(){
'use strict';
function value(row,column){
  var cell=row.cells[column],text=cell?(cell.getAttribute('data-value')||cell.textContent):'',number=parseFloat(text);
  return text!==''&&isFinite(text)?number:text;
}
function compare(a,b){
  if(a===b)return 0;
  if(a==='')return 1;
  if(b==='')return -1;
  if(typeof a==='number'&&typeof b==='number')return a-b;
  return String(a)<String(b)?-1:1;
}
document.querySelectorAll('table.sortable').forEach(function(table){
  var heads=table.tHead.rows[0].cells;
  Array.prototype.forEach.call(heads,function(head,column){
    var button=document.createElement('button');
    button.type='button';
    button.textContent=head.textContent;
    head.textContent='';
    head.appendChild(button);
    button.addEventListener('click',function(){
      var down=head.getAttribute('aria-sort')==='ascending',body=table.tBodies[0];
      Array.prototype.forEach.call(heads,function(other){other.removeAttribute('aria-sort');});
      head.setAttribute('aria-sort',down?'descending':'ascending');
      Array.prototype.slice.call(body.rows).map(function(row,index){return {row:row,key:value(row,column),index:index};})
        .sort(function(a,b){
          var order=compare(a.key,b.key);
          if(a.key===''||b.key==='')return order||a.index-b.index;
          return (down?-order:order)||a.index-b.index;
        }).forEach(function(entry){body.appendChild(entry.row);});
    });
  });
});
document.querySelectorAll('.filter').forEach(function(box){
  box.style.display='block';
  var input=box.querySelector('input'),table=document.getElementById(input.getAttribute('data-table'));
  input.addEventListener('input',function(){
    var words=input.value.toLowerCase().split(/\s+/);
    Array.prototype.forEach.call(table.tBodies[0].rows,function(row){
      var text=row.textContent.toLowerCase();
      row.style.display=words.every(function(word){return text.indexOf(word)>=0;})?'':'none';
    });
  });
});
var tip=document.createElement('div');
tip.id='tip';
document.body.appendChild(tip);
function show(event){
  var mark=event.target,title=mark.querySelector&&mark.ownerSVGElement?mark.querySelector('title'):null;
  var text=title?title.textContent:(mark.getAttribute&&mark.getAttribute('data-tip'));
  if(!text){tip.style.display='none';return;}
  if(title){mark.setAttribute('data-tip',text);mark.setAttribute('aria-label',text);mark.removeChild(title);}
  tip.textContent=text;
  tip.style.display='block';
  tip.style.left=Math.max(4,Math.min(event.clientX+12,window.innerWidth-tip.offsetWidth-8))+'px';
  tip.style.top=Math.max(4,Math.min(event.clientY+14,window.innerHeight-tip.offsetHeight-8))+'px';
}
document.addEventListener('mousemove',show);
document.addEventListener('click',show);
}());
)";
}

}  // namespace sheaf
