import { type Answer, type Client, EventStream } from './client.ts'
import { at, type Difference, judge } from './compare.ts'
import { type Case, replaced, type Step, stepsOf, type Variables } from './corpus.ts'
import type { Recorder } from './record.ts'

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
