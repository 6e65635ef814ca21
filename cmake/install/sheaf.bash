# bash completion for sheaf. `sheaf complete` prints the candidates; without any, bash completes the names of files.
_sheaf() {
  local line=${COMP_LINE:0:COMP_POINT} words current replaced
  read -ra words <<<"$line"
  [[ $line != *[[:space:]] ]] || words+=("")
  current=${words[-1]}
  mapfile -t COMPREPLY < <("${words[0]/#\~/$HOME}" complete "${words[@]:1}" 2>/dev/null)
  # bash replaces only the part after the last of these characters.
  replaced=${current##*[${COMP_WORDBREAKS//[!=:]/}]}
  COMPREPLY=("${COMPREPLY[@]#"${current%"$replaced"}"}")
  [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *[=:] ]] || compopt -o nospace 2>/dev/null
}
complete -o default -F _sheaf sheaf
