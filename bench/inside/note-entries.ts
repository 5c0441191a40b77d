import { AsyncLocalStorage } from 'node:async_hooks'
import { Server } from 'node:http'
import { registerHooks } from 'node:module'
import { parseSync } from 'vite'

/** A function of the source that was entered, such as `query` of `platform/db/db.ts`. */
export interface Entry {
  readonly file: string
  readonly name: string
  /** Where the function begins in its file, in characters. */
  readonly at: number
}

const requests = new AsyncLocalStorage<Entry[]>()
const functions: Entry[] = []
let noted: Entry[] | undefined

/**
 * Makes each function below the folder `source` (a URL) note that it was entered, in all modules that are
 * loaded from now on. Entries count while the server of this process answers a request, whichever promises
 * that takes.
 */
export function instrumentFunctions(source: string): void {
  Object.assign(globalThis, { noteEntry })
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      if (!url.startsWith(source) || !url.endsWith('.ts') || !loaded.source) return loaded
      const text = Buffer.from(loaded.source as Uint8Array).toString()
      return { ...loaded, source: insertNotes(url.slice(source.length), text) }
    },
  })
  const emit = Server.prototype.emit
  Server.prototype.emit = function (name: string | symbol, ...args: unknown[]) {
    if (name !== 'request' || !noted) return Reflect.apply(emit, this, [name, ...args])
    return requests.run(noted, () => Reflect.apply(emit, this, [name, ...args]))
  }
}

/** All functions that were entered, in order, while the server answered the requests of `run`. */
export async function noteEntries(run: () => Promise<unknown>): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  noted = entries
  await run()
  noted = undefined
  return entries
}

/** What instrumented functions call first, with their place in `functions`. */
function noteEntry(at: number): void {
  requests.getStore()?.push(functions[at]!)
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

/** The text of a module whose functions call `noteEntry` first. Lines keep their numbers. */
function insertNotes(file: string, text: string): string {
  const inserted: { at: number; text: string }[] = []
  const visit = (node: Node, outer: string) => {
    const name = findName(node) ?? outer
    if (isFunction(node)) {
      const body = node.body as Node
      const call = `noteEntry(${functions.push({ file, name, at: node.start }) - 1})`
      if (body.type === 'BlockStatement') inserted.push({ at: body.start + 1, text: `${call};` })
      else {
        inserted.push({ at: body.start, text: `(${call},` })
        inserted.push({ at: body.end, text: ')' })
      }
    }
    for (const child of Object.values(node))
      for (const one of Array.isArray(child) ? child : [child]) if (isNode(one)) visit(one, name)
  }
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`)
  visit(program as unknown as Node, 'module')
  let [result, rest] = ['', text]
  // from the end, so that earlier places stay
  for (const { at, text: piece } of inserted.toSorted((a, b) => b.at - a.at)) {
    result = piece + rest.slice(at) + result
    rest = rest.slice(0, at)
  }
  return rest + result
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value

const isFunction = ({ type, body }: Node) =>
  /^(ArrowFunctionExpression|FunctionDeclaration|FunctionExpression)$/.test(type) && isNode(body)

/** The name of a function or of what holds it: a variable, a method, a property. */
function findName(node: Node): string | undefined {
  const named = node.id ?? node.key
  if (!isNode(named)) return undefined
  const name = named.name ?? named.value
  return typeof name === 'string' ? name : undefined
}
