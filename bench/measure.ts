import { deepStrictEqual } from 'node:assert'
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ask, type Contender, requestsOf } from './contender.ts'
import type { Job, Sample } from './load.ts'
import { settle } from './process.ts'
import type { Scenario } from './scenarios.ts'

const LOAD = fileURLToPath(new URL('load.ts', import.meta.url))

export interface Pace {
  readonly rounds: number
  readonly seconds: number
  readonly warmSeconds: number
}

/** One row of the table: a sample by the contender's name. */
export interface Row {
  readonly scenario: Scenario
  readonly samples: ReadonlyMap<string, Sample>
}

/**
 * Asks every contender each scenario in turn, `rounds` times, beginning with another one each time, so that
 * what disturbs the machine disturbs all. A row holds the medians. Throws when any request fails.
 */
export async function measure(
  contenders: readonly Contender[],
  scenarios: readonly Scenario[],
  pace: Pace,
  say: (line: string) => void,
): Promise<Row[]> {
  const rows: Row[] = []
  for (const scenario of scenarios) {
    const all = new Map<string, Sample[]>()
    for (let round = 0; round < pace.rounds; round++) {
      for (const contender of rotated(contenders, round)) {
        const requests = requestsOf(contender, scenario)
        if (!requests) continue
        await contender.prepare?.()
        const { connections } = scenario
        const sample = await load({ url: contender.url, connections, requests, ...pace })
        await settle(contender.pid)
        if (sample.failed > 0)
          throw new Error(`${contender.name}: ${sample.failed} failed requests (${scenario.name})`)
        all.set(contender.name, [...(all.get(contender.name) ?? []), sample])
      }
    }
    const samples = new Map([...all].map(([name, list]) => [name, medianOf(list)]))
    say(
      `${scenario.name}: ${[...samples].map(([name, { rate }]) => `${name} ${Math.round(rate)}/s`).join(', ')}`,
    )
    rows.push({ scenario, samples })
  }
  return rows
}

function rotated<T>(list: readonly T[], by: number): T[] {
  const start = by % list.length
  return [...list.slice(start), ...list.slice(0, start)]
}

/** A sample of one job, from a process of its own. */
export function load(job: Job): Promise<Sample> {
  const child = fork(LOAD)
  return new Promise((resolve, reject) => {
    child.once('message', (sample) => resolve(sample as Sample))
    child.once('exit', (code) => reject(new Error(`The load process ended with ${code}.`)))
    child.send(job)
  })
}

const median = (numbers: readonly number[]) =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

function medianOf(samples: readonly Sample[]): Sample {
  return {
    rate: median(samples.map(({ rate }) => rate)),
    p50: median(samples.map(({ p50 }) => p50)),
    p99: median(samples.map(({ p99 }) => p99)),
    failed: 0,
  }
}

/** A list, or one message. */
interface Answer {
  readonly items?: readonly { readonly id: string }[]
  readonly totalItems?: number
  readonly id?: string
}

/**
 * Makes sure that all give the same answer to the same question before anyone is timed: the bare server to
 * the letter, PocketBase (whose collection ids must differ) the same records and total.
 */
export async function compareAnswers(
  contenders: readonly Contender[],
  scenarios: readonly Scenario[],
): Promise<void> {
  for (const scenario of scenarios.filter(({ kind }) => kind === 'list' || kind === 'view')) {
    const answers = []
    for (const contender of contenders) {
      const [request] = requestsOf(contender, scenario) ?? []
      if (!request) continue
      await contender.prepare?.()
      const token = request.headers.authorization ?? ''
      const answer = await ask<Answer>(contender.url + request.path, { token })
      answers.push({ contender, answer })
    }
    const [first, ...others] = answers
    for (const { contender, answer } of others) {
      const wanted = first?.answer ?? answer
      const pair =
        contender.speaks === 'bare' ? [answer, wanted] : [essence(answer), essence(wanted)]
      deepStrictEqual(pair[0], pair[1], `${contender.name} answers differently: ${scenario.name}`)
    }
  }
}

const essence = ({ items, totalItems, id }: Answer) => ({
  id,
  totalItems,
  ids: items?.map((item) => item.id),
})
