import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { type Entry, instrumentFunctions } from './note-entries.ts'

const USAGE = `npx node bench/inside/trace.ts [--of FOLDER] [--calls REQUEST]
What one view, list, create, send, claim and report needs of src once caches are warm: files, functions and
calls, how often it returns into a file that it had left, and which questions are answered again.
  --of FOLDER       another checkout instead of this one
  --calls REQUEST   also lists the functions that this request enters, in order
`
const HOME = fileURLToPath(new URL('../..', import.meta.url))

const nameOf = ({ file, name }: Entry) => `${file} ${name}`

/** Entries into a file that the request had left, by file. */
function countReturns(entries: readonly Entry[]): Map<string, number> {
  const seen = new Set<string>()
  const returns = new Map<string, number>()
  let last = ''
  for (const { file } of entries) {
    if (file !== last && seen.has(file)) returns.set(file, (returns.get(file) ?? 0) + 1)
    seen.add(file)
    last = file
  }
  return returns
}

/** Questions that a request should answer once, by the names of the functions that answer them. */
const QUESTIONS: Readonly<Record<string, RegExp>> = {
  caller: /^(findCached(Identity|KeyHolder)|identify(Token|Key|\w*Holder|Known\w+))$/,
  collection: /^require(Writable)?Collection$/,
  'length of the body': /^readBodyLength$/,
  'holder of limits': /^make\w*Holder$/,
  path: /^read(Routed|Clean)Path$/,
  query: /^readQuery(Text)?$/,
  permit: /^requirePermit$/,
  'meter of the answer': /^makeMeter$/,
}

/** The questions that were answered more than once: by which functions, how often. */
function listRepeatedQuestions(entries: readonly Entry[]): string[] {
  return Object.entries(QUESTIONS).flatMap(([question, pattern]) => {
    const answers = Map.groupBy(
      entries.filter(({ name }) => pattern.test(name)),
      nameOf,
    )
    const count = [...answers.values()].reduce((sum, { length }) => sum + length, 0)
    if (count < 2) return []
    return `${question} ${count} (${[...answers].map(([name, { length }]) => `${name} ${length}`).join(', ')})`
  })
}

function printTrace(request: string, entries: readonly Entry[]): void {
  const files = new Set(entries.map(({ file }) => file))
  const functions = new Set(entries.map(({ file, at }) => `${file} ${at}`))
  const returns = countReturns(entries)
  const sum = [...returns.values()].reduce((total, count) => total + count, 0)
  const counts = `${files.size} files, ${functions.size} functions, ${entries.length} calls, ${sum} returns`
  console.log(`${request}: ${counts}`)
  const often = [...returns].sort(([, a], [, b]) => b - a)
  console.log(`  returns: ${often.map(([file, count]) => `${file} ${count}`).join(', ')}`)
  console.log(`  answered again: ${listRepeatedQuestions(entries).join('; ') || 'nothing'}`)
}

const { values } = parseArgs({
  options: {
    of: { type: 'string', default: HOME },
    calls: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
})
if (values.help) process.stdout.write(USAGE)
else {
  const source = `${pathToFileURL(resolve(values.of)).href}/src/`
  instrumentFunctions(source)
  // imported here, as it imports modules of src
  const { traceRequests } = await import('./traced-requests.ts')
  await traceRequests(source, (request, entries) => {
    printTrace(request, entries)
    if (request === values.calls) for (const entry of entries) console.log(`  ${nameOf(entry)}`)
  })
}
