import { setTimeout } from 'node:timers/promises'
import { type Answer, type Client, EventStream } from './client.ts'
import {
  type Case,
  type Corpus,
  type Expectation,
  parsed,
  replaced,
  type Step,
  stepsOf,
  type Variables,
} from './corpus.ts'

/** The first place where an answer differs. */
interface Difference {
  readonly path: string
  readonly expected: unknown
  readonly got: unknown
}

const TIME = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{3}Z$/
const ID = /^[a-z0-9]{15}$/
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/
const CLOCK_SECONDS = 120

/** Takes out of a text what only this server puts there. */
type Plain = (text: string) => string

type Claims = Pick<NonNullable<Expectation['claims']>, 'header' | 'payload'>

type Keyed = Record<string, unknown>

const isKeyed = (value: unknown): value is Keyed =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

function matches(matcher: string, value: unknown): boolean {
  const isText = (pattern: RegExp) => typeof value === 'string' && pattern.test(value)
  if (matcher.startsWith('regex:')) return isText(new RegExp(matcher.slice(6), 's'))
  if (matcher.startsWith('unixIn:'))
    return Math.abs(Number(value) - Date.now() / 1000 - Number(matcher.slice(7))) < CLOCK_SECONDS
  if (matcher === 'id') return isText(ID)
  if (matcher === 'token') return isText(TOKEN)
  if (matcher === 'datetime') return isText(TIME)
  if (matcher === 'any') return value !== undefined
  if (matcher === 'string' || matcher === 'number') return typeof value === matcher
  throw new Error(`unknown matcher ${matcher}`)
}

/** Compares JSON values; `isSet`: an array in any order. */
function difference(
  expected: unknown,
  got: unknown,
  path = '',
  isSet = false,
): Difference | undefined {
  const here = { path: path || '/', expected, got }
  if (isKeyed(expected) && typeof expected.$match === 'string')
    return matches(expected.$match, got) ? undefined : here
  if (Array.isArray(expected)) {
    if (!Array.isArray(got)) return here
    if (isSet) return differentSet(expected, got, path)
    const length = Math.max(expected.length, got.length)
    return first(length, (i) => difference(expected[i], got[i], `${path}/${i}`))
  }
  if (isKeyed(expected) && isKeyed(got)) {
    const keys = [...new Set([...Object.keys(expected), ...Object.keys(got)])]
    // the order inside an expanded back-relation is not defined
    return first(keys.length, (i) =>
      difference(
        expected[keys[i]!],
        got[keys[i]!],
        `${path}/${keys[i]}`,
        keys[i]!.includes('_via_'),
      ),
    )
  }
  return expected === got ? undefined : here
}

function first(count: number, at: (i: number) => Difference | undefined): Difference | undefined {
  for (let i = 0; i < count; i++) {
    const found = at(i)
    if (found) return found
  }
}

function differentSet(expected: unknown[], got: unknown[], path: string): Difference | undefined {
  const rest = [...got]
  const missing = expected.filter((item) => {
    const i = rest.findIndex((other) => !difference(item, other))
    if (i >= 0) rest.splice(i, 1)
    return i < 0
  })
  if (missing.length + rest.length === 0) return undefined
  return { path: `${path} (as a set)`, expected: missing[0], got: rest[0] }
}

/** The value at a JSON pointer. */
const at = (value: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce((inner, key) => (inner as Keyed | undefined)?.[key], value)

/** The two decoded parts of the token at a pointer. */
function claimsAt(answer: Answer, pointer: string, plain: Plain): Claims {
  const [header, payload] = String(at({ body: answer.json }, pointer)).split('.')
  const decoded = (part = '') => parsed(plain(Buffer.from(part, 'base64url').toString()))
  return { header: decoded(header), payload: decoded(payload) }
}

/** Compares an answer with what is expected. */
function judge(expected: Expectation, answer: Answer, plain: Plain): Difference | undefined {
  const { status, headers = {}, body, claims, contains = {}, unordered = false } = expected
  if (status !== undefined && status !== answer.status)
    return {
      path: 'status',
      expected: status,
      got: `${answer.status} ${answer.text.slice(0, 240)}`,
    }
  const named = Object.keys(headers).map((name) => [name, answer.headers[name] ?? null])
  return (
    difference(headers, Object.fromEntries(named), 'headers') ??
    (expected.empty ? difference('', answer.text, 'text') : undefined) ??
    ('text' in expected ? difference(expected.text, answer.text, 'text') : undefined) ??
    ('body' in expected ? differentBody(body, answer.json, unordered) : undefined) ??
    first(Object.keys(contains).length, (i) => {
      const key = Object.keys(contains)[i]!
      return difference(contains[key], at(answer.json, `/${key}`), `/${key}`)
    }) ??
    (claims &&
      difference({ ...claims, of: undefined }, claimsAt(answer, claims.of, plain), 'claims'))
  )
}

function differentBody(expected: unknown, got: unknown, isSet: boolean): Difference | undefined {
  if (!isSet || !isKeyed(expected) || !isKeyed(got)) return difference(expected, got, '', isSet)
  const { items, ...page } = expected
  const { items: gotItems, ...gotPage } = got
  return difference(page, gotPage) ?? difference(items, gotItems, '/items', true)
}

const RECENT_MS = 60_000

/** Writes the answers of a server into the expectations of a case. */
export class Recorder {
  /** What does not vary from run to run. */
  readonly #known: string

  constructor({ schema, fixtures }: Corpus, one: Case) {
    this.#known = JSON.stringify([schema, fixtures, { ...one, expect: undefined }])
  }

  /** The answer as an expectation, with the old one's matchers and variables wherever they fit. */
  expectation(step: Step, answer: Answer, variables: Variables, plain: Plain): Expectation {
    const { status, headers, empty, text, body, contains, claims, ...rest } = step.expect ?? {}
    const merge = (old: unknown, got: unknown) => this.#merged(old, got, variables)
    const named = Object.keys(headers ?? {}).map((name) => [name, answer.headers[name] ?? null])
    return {
      ...(!step.sse || step.open ? { status: answer.status } : {}),
      ...(headers && {
        headers: merge(headers, Object.fromEntries(named)) as Expectation['headers'],
      }),
      ...(answer.json !== undefined
        ? { body: merge(body, answer.json) }
        : answer.text
          ? { text: merge(text, answer.text) }
          : { empty: true }),
      ...(claims && {
        claims: { of: claims.of, ...(merge(claims, claimsAt(answer, claims.of, plain)) as Claims) },
      }),
      ...rest,
    }
  }

  #merged(old: unknown, got: unknown, variables: Variables): unknown {
    if (!difference(replaced(old, variables), got)) return old
    const inner = (key: string | number, item: unknown) =>
      this.#merged((old as Record<string | number, unknown> | undefined)?.[key], item, variables)
    if (Array.isArray(got)) return got.map((item, i) => inner(i, item))
    if (got !== null && typeof got === 'object')
      return Object.fromEntries(Object.entries(got).map(([key, item]) => [key, inner(key, item)]))
    return typeof got === 'string' ? this.#lasting(got, variables) : got
  }

  /** A variable for a saved value, a matcher for one that differs from run to run. */
  #lasting(value: string, variables: Variables): unknown {
    const saved = Object.entries(variables).find(([, other]) => other === value)
    if (saved) return `\${${saved[0]}}`
    if (this.#known.includes(JSON.stringify(value).slice(1, -1))) return value
    if (TIME.test(value) && Date.now() - Date.parse(value) < RECENT_MS)
      return { $match: 'datetime' }
    if (ID.test(value)) return { $match: 'id' }
    return TOKEN.test(value) && value.startsWith('ey') ? { $match: 'token' } : value
  }
}

const [LATE_MS, PAUSE_MS] = [20_000, 200]
const EVENTS_MS = 3_000
const QUIET_MS = 250
const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

export interface Failure extends Difference {
  readonly step: number
  readonly request: Step
}

/** Whether the case changes nothing: such cases run side by side. */
export const isReading = (one: Case): boolean =>
  stepsOf(one).every(({ sse, method = 'GET' }) => !sse && READS.has(method))

/**
 * Runs a case and its clean-up. Returns the first difference. With a recorder it goes on, and writes each
 * new answer into the case.
 */
export async function play(
  one: Case,
  client: Client,
  recorder?: Recorder,
): Promise<Failure | undefined> {
  const variables: Variables = {}
  const plain = (text: string) => client.plain(text)
  const streams: Record<string, EventStream> = {}
  let failure: Failure | undefined
  try {
    for (const [i, step] of stepsOf(one).entries()) {
      const request = await filledIn(step, variables, client)
      const answer = await perform(request, variables, streams, client)
      for (const [name, pointer] of Object.entries(step.save ?? {}))
        variables[name] = at({ body: answer.json, headers: answer.headers }, pointer)
      const expected = replaced(step.expect, variables) as Step['expect']
      const found = expected ? judge(expected, answer, plain) : undefined
      if (found) failure ??= { ...found, step: i + 1, request }
      if (recorder && (found || !expected?.status))
        step.expect = recorder.expectation(step, answer, variables, plain)
      else if (found) break
    }
  } catch (error) {
    failure ??= {
      path: 'request',
      expected: 'an answer',
      got: String(error),
      step: 0,
      request: one,
    }
  } finally {
    for (const stream of Object.values(streams)) stream.close()
    for (const step of one.cleanup ?? [])
      await client.request(await filledIn(step, variables, client)).catch(() => undefined)
  }
  return failure
}

async function perform(
  step: Step,
  variables: Variables,
  streams: Record<string, EventStream>,
  client: Client,
): Promise<Answer> {
  if (step.pause) await setTimeout(step.pause)
  if (step.until) return askUntil(step.until, step, client)
  if (!step.sse) return client.request(step)
  if (step.open) {
    const [opened, answer] = await EventStream.open(client)
    streams[step.sse] = opened
    variables[step.sse] = at(answer.json, '/0/data/clientId')
    return answer
  }
  const json = await streams[step.sse]?.take(step.events ?? 0, EVENTS_MS, step.quiet ?? QUIET_MS)
  return { headers: {}, text: 'events', json }
}

/** Asks again until the body has a value at the pointer, at most for LATE_MS. */
async function askUntil(pointer: string, step: Step, client: Client): Promise<Answer> {
  for (const end = Date.now() + LATE_MS; ; await setTimeout(PAUSE_MS)) {
    const answer = await client.request(step)
    if (at(answer.json, pointer) !== undefined || Date.now() > end) return answer
  }
}

/** The step with the values of its variables and tokens; `expect` stays as it is. */
async function filledIn(
  { expect, ...step }: Step,
  variables: Variables,
  client: Client,
): Promise<Step> {
  for (const [, name] of JSON.stringify(step).matchAll(/\$\{token:(\w+)\}/g))
    variables[`token:${name}`] = await client.token(name!)
  return replaced(step, variables) as Step
}
