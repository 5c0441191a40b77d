import { parseArgs } from 'node:util'
import type { ArgsDef, CommandDef } from 'citty'
import { runProgramCommand, UserError } from '../platform/api-errors.ts'

/** A positional argument for any number of words, which Citty puts into `args._`. */
export interface Words {
  readonly type: 'positional'
  readonly required: false
  readonly description: string
  readonly many: true
}

/** A command, or how to load it. */
type Loadable = CommandDef | (() => Promise<CommandDef>)

/** Makes a command refuse unknown words. Citty ignores them: `send --dryrun` would send. */
export function makeStrictCommand(command: CommandDef, name = 'pocketsms'): CommandDef {
  const {
    args = {},
    subCommands = {},
    run,
  } = command as { args?: ArgsDef; subCommands?: Record<string, Loadable>; run?: CommandDef['run'] }
  const strictly = (sub: Loadable, whole: string): Loadable =>
    typeof sub === 'function'
      ? async () => makeStrictCommand(await sub(), whole)
      : makeStrictCommand(sub, whole)
  const below = Object.entries(subCommands).map(
    ([word, sub]) => [word, strictly(sub, `${name} ${word}`)] as const,
  )
  return {
    ...command,
    ...(below.length > 0 && { subCommands: Object.fromEntries(below) }),
    ...(run && {
      run: (context) =>
        runProgramCommand(async () => {
          const fault = findWordFault(context.rawArgs, args)
          if (fault) throw new UserError(`${fault} See ${name} --help.`)
          await run(context)
        }),
    }),
  }
}

export function findWordFault(words: readonly string[], args: ArgsDef): string | undefined {
  const kinds = Object.values(args)
  const positionals = kinds.some((kind) => 'many' in kind)
    ? Number.POSITIVE_INFINITY
    : kinds.filter(({ type }) => type === 'positional').length
  const options = toParseOptions(args)
  const { tokens } = parseArgs({
    args: [...words],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const seen = new Set<string>()
  let found = 0
  for (const token of tokens) {
    if (token.kind === 'positional' && ++found > positionals)
      return `"${token.value}" is one word too many.`
    if (token.kind !== 'option') continue
    const { name, rawName, value } = token
    if (!Object.hasOwn(options, name)) return `There is no option ${rawName}.`
    if (seen.has(name)) return `${rawName} stands twice.`
    seen.add(name)
    // an option with an empty default may be empty
    if (options[name]!.type === 'string' && !value && args[name]!.default !== '')
      return `${rawName} needs a value.`
  }
  return undefined
}

const toParseOptions = (args: ArgsDef): Record<string, { type: 'boolean' | 'string' }> =>
  Object.fromEntries(
    Object.entries(args)
      .filter(([, { type }]) => type !== 'positional')
      .map(([name, { type }]) => [name, { type: type === 'boolean' ? 'boolean' : 'string' }]),
  )

export const printLine = (line: string) => void process.stdout.write(`${line}\n`)
