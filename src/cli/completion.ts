// geth-reader completion: prints a script that completes commands and options in a shell, made from the help of the commands.
import { Argument, Command, type Option } from 'commander'

const shells = ['bash', 'zsh', 'fish'] as const

/** What can follow `geth-reader`, or one of its commands. */
interface Completions {
  /** Words after `geth-reader`: `logs`, or `index build`; empty for the program itself. */
  readonly words: string
  readonly commands: readonly Command[]
  readonly options: readonly Option[]
}

/** `loadAll` gives the program with all of its commands. */
export function completionCommand(loadAll: () => Promise<Command>): Command {
  return new Command('completion')
    .description('Print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText(
      'after',
      `
To use it in every new shell:
  bash: echo 'eval "$(geth-reader completion bash)"' >> ~/.bashrc
  zsh:  echo 'eval "$(geth-reader completion zsh)"' >> ~/.zshrc
  fish: geth-reader completion fish > ~/.config/fish/completions/geth-reader.fish`,
    )
    .action(async (shell: (typeof shells)[number]) => {
      const all = completionsOf(await loadAll())
      console.log(shell === 'fish' ? fishScript(all) : bashScript(all, shell))
    })
}

/** The completions of a command and of those in it. */
function completionsOf(command: Command, words = ''): Completions[] {
  const { commands } = command
  const inner = commands.flatMap((one) => completionsOf(one, `${words} ${one.name()}`.trim()))
  return [{ words, commands, options: command.options.filter(({ hidden }) => !hidden) }, ...inner]
}

/** Options whose values are paths, by the names of their values. */
function isPath({ flags }: Option): boolean {
  return /<(?:dir|file|datadir)(?:\.\.\.)?>/.test(flags)
}

/** A function of bash, which zsh runs, too. Words after an option that takes a path, and other words, are paths. */
function bashScript(all: readonly Completions[], shell: 'bash' | 'zsh'): string {
  const cases = all.map(({ words, commands, options }) => {
    const flags = options.flatMap(({ short, long }) => [short, long].filter((flag) => flag !== undefined))
    return `    '${words}') words='${[...commands.map((one) => one.name()), ...flags, '--help'].join(' ')}' ;;`
  })
  const choices = all.flatMap(({ words, options }) =>
    options.flatMap(({ long, argChoices }) =>
      argChoices === undefined ? [] : [`    '${words} ${long}') words='${argChoices.join(' ')}' ;;`],
    ),
  )
  const names = all.map(({ words }) => `'${words}'`).join('|')
  const start = shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''
  return `${start}_geth_reader() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command='' words='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${command:+$command }$word" in ${names}) command="\${command:+$command }$word" ;; esac
  done
  case "$command" in
${cases.join('\n')}
  esac
  case "$command $previous" in
${choices.join('\n')}
  esac
  COMPREPLY=()
  while IFS='' read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$words" -- "$current")
}
complete -o default -F _geth_reader geth-reader`
}

function fishScript(all: readonly Completions[]): string {
  const quote = (text = '') => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  const lines = all.flatMap(({ words, commands, options }) => {
    const condition =
      words === '' ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${words.split(' ').at(-1)}`
    const start = `complete -c geth-reader -n ${quote(condition)}`
    return [
      ...commands.map((one) => `${start} -f -a ${one.name()} -d ${quote(one.description())}`),
      ...options.map((option) => {
        const { short, long, description, required, argChoices } = option
        const values =
          argChoices === undefined ? (isPath(option) ? ' -F' : '') : ` -a ${quote(argChoices.join(' '))}`
        const flags = `${short === undefined ? '' : ` -s ${short.slice(1)}`} -l ${long?.slice(2)}`
        return `${start}${flags}${required ? ` -r${values}` : ''} -d ${quote(description)}`
      }),
    ]
  })
  return lines.join('\n')
}
