import { type Answer, type Client, EventStream } from './client.ts'
import {
  at,
  type Claims,
  claimsAt,
  type Difference,
  difference,
  ID,
  judge,
  type Plain,
  TIME,
  TOKEN,
} from './compare.ts'
import {
  type Case,
  type Corpus,
  type Expectation,
  replaced,
  type Step,
  stepsOf,
  type Variables,
} from './corpus.ts'

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
      ...(headers && { headers: merge(headers, Object.fromEntries(named)) as Expectation['headers'] }),
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
    if (TIME.test(value) && Date.now() - Date.parse(value) < RECENT_MS) return { $match: 'datetime' }
    if (ID.test(value)) return { $match: 'id' }
    return TOKEN.test(value) && value.startsWith('ey') ? { $match: 'token' } : value
  }
}

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
export async function play(one: Case, client: Client, recorder?: Recorder): Promise<Failure | undefined> {
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
    failure ??= { path: 'request', expected: 'an answer', got: String(error), step: 0, request: one }
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

/** The step with the values of its variables and tokens; `expect` stays as it is. */
async function filledIn({ expect, ...step }: Step, variables: Variables, client: Client): Promise<Step> {
  for (const [, name] of JSON.stringify(step).matchAll(/\$\{token:(\w+)\}/g))
    variables[`token:${name}`] = await client.token(name!)
  return replaced(step, variables) as Step
}
