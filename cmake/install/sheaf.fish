# fish completion for sheaf. `sheaf complete` prints the candidates; without any, fish completes the names of files.
function __sheaf_candidates
    set -l words (commandline -opc) (commandline -ct)
    $words[1] complete $words[2..-1] 2>/dev/null
end
complete -c sheaf -f -a '(__sheaf_candidates)'
complete -c sheaf -n 'test (count (__sheaf_candidates)) -eq 0' -F
