import { ATTACKS, control, warmUp } from '../attacks/all.ts'
import { type Attack, asUser, FIRST_ANSWER_MS, type Prepared, VISITOR } from '../attacks/attack.ts'
import type { Outcome, Scenario, ScenarioContext } from '../scenario.ts'
import type { AttackTask, Counts } from './attacker.ts'
import {
  HostileSite,
  judgeAll,
  judgeMeasured,
  type Measured,
  megabytes,
  quantile,
  slacknessOf,
  type Verdict,
} from './hostile-site.ts'
import { Child, Meter, residentBytes } from './meter.ts'
import type { Noticed, VictimOrder } from './victim.ts'

/** Beyond the time of the attack: for answers that are late, until the attacker is killed. */
const ATTACKER_GRACE_MS = 3_000
/** As long as any statement may take. */
const SETTLE_SECONDS = 35
const ATTACKER_START_MS = 30_000
/** Longer than the victim waits for its last answers and events. */
const VICTIM_GRACE_MS = 30_000
const SECONDS = 10
const SHORT_SECONDS = 2
/**
 * A victim has some 100 answers in that time: their p99 is the slowest of them. The short run finds what
 * breaks a server, not what slows it.
 */
const SHORT_SLACKNESS = 4
const WARM_UP_SECONDS = 3
/** Attacks that a crowd makes at once. */
const CROWD = 10

/** Attacks that are prepared at once. */
const PREPARED_AT_ONCE = 4

const startAttackers = (count: number) =>
  Array.from({ length: count }, () => new Child('./attacker.ts'))

/** Prepares attacks, some at once; answers what each made, in their order. */
async function prepareAll(attacks: readonly Attack[], site: HostileSite): Promise<Prepared[]> {
  const prepared: Prepared[] = []
  const waiting = [...attacks.entries()]
  const prepareNext = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [i, { who, prepare = who === 'user' ? asUser() : undefined }] = next
      try {
        prepared[i] = (await prepare?.(site)) ?? {}
      } catch (error) {
        waiting.length = 0
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: PREPARED_AT_ONCE }, prepareNext))
  return prepared
}

/** What came of one attack. */
interface Played {
  readonly verdict: Verdict
  readonly row: string
  /** Bytes of memory that the server had more than after ordinary work, at most. */
  readonly growthOverAll: number
  readonly times: readonly number[]
}

/** All attacks of a guest or of a user. After an attack that broke a bound come a new server and database. */
class Field {
  readonly #stage: ScenarioContext
  #victim = new Child('./victim.ts')
  #site: HostileSite | undefined
  /** Those of the attack that runs, or one that starts for the next. */
  #attackers: Child[] = []
  /** What attacks made that are prepared and were not played yet. */
  readonly #ahead = new Map<Attack, Prepared>()
  /** Memory of the site's server after ordinary work. */
  #restingRss = 0
  /** By how much all bounds of time are wider here: see slacknessOf. */
  #slackness = 1

  constructor(context: ScenarioContext) {
    this.#stage = context
  }

  /** A site that has done ordinary work. */
  async site(): Promise<HostileSite> {
    if (this.#site) return this.#site
    this.#site = await HostileSite.open(this.#stage.basePort, this.#stage.hostile.memory)
    const prepared = [await warmUp.prepare!(this.#site)]
    await this.#measure(this.#site, startAttackers(1), [warmUp], prepared, WARM_UP_SECONDS)
    this.#restingRss = await residentBytes(this.#site.pid)
    return this.#site
  }

  /**
   * Plays attacks at once, each by a process and an account of its own. What was only a little slow is played
   * again: the machine may have been busy.
   */
  async play(attacks: readonly Attack[], seconds: number): Promise<Played> {
    try {
      const first = await this.#playOnce(attacks, seconds)
      return first.verdict.isSlow ? await this.#playOnce(attacks, seconds) : first
    } catch (error) {
      return await this.#giveUp(attacks, error as Error)
    }
  }

  /** Prepares attacks that are played later, on the same site. One that fails is tried again in its turn. */
  async prepareAhead(attacks: readonly Attack[]): Promise<void> {
    const site = await this.site()
    const prepared = await prepareAll(attacks, site).catch(() => [])
    for (const [i, made] of prepared.entries()) this.#ahead.set(attacks[i]!, made)
    await site.settle(SETTLE_SECONDS)
    this.#restingRss = await residentBytes(site.pid)
  }

  get slackness(): number {
    return this.#slackness
  }

  async close(): Promise<void> {
    this.#victim.kill()
    for (const attacker of this.#attackers) attacker.kill()
    await this.#site?.close()
  }

  async #prepare(attacks: readonly Attack[], site: HostileSite): Promise<Prepared[]> {
    const ahead = attacks
      .map((attack) => this.#ahead.get(attack))
      .filter((made) => made !== undefined)
    for (const attack of attacks) this.#ahead.delete(attack)
    if (ahead.length === attacks.length) return ahead
    const prepared = await prepareAll(attacks, site)
    await site.settle(SETTLE_SECONDS)
    return prepared
  }

  async #playOnce(attacks: readonly Attack[], seconds: number): Promise<Played> {
    const site = await this.site()
    // processes start while what they need is prepared, one of them while the server settles before
    this.#attackers.push(...startAttackers(attacks.length - this.#attackers.length))
    const attackers = this.#attackers.slice()
    const prepared = await this.#prepare(attacks, site)
    const { counts, ...measured } = await this.#measure(site, attackers, attacks, prepared, seconds)
    this.#attackers = []
    if (attacks.includes(control)) {
      const factor = this.#stage.hostile.isShort ? SHORT_SLACKNESS : 1
      this.#slackness = factor * slacknessOf(measured)
    }
    const judged = judgeMeasured(
      measured,
      this.#slackness,
      attacks.every(({ crowd }) => crowd),
    )
    const { note, faults: more } = await afterwards(site, attacks, seconds)
    const others = [...more, ...judgeCounts(attacks, counts, this.#stage.hostile.isShort)]
    const verdict = {
      faults: [...judged.faults, ...others],
      isSlow: judged.isSlow && others.length === 0,
    }
    if (verdict.faults.length > 0) await this.#beginAnew()
    else {
      this.#attackers = startAttackers(1)
      await site.settle(SETTLE_SECONDS)
    }
    const { times } = measured.noticed
    const row = rowOf(attacks, counts, measured, note, verdict)
    return { verdict, times, row, growthOverAll: measured.growth.peakRss - this.#restingRss }
  }

  /** Nothing was measured: the attack failed or did nothing, or the server did not answer any more. */
  async #giveUp(attacks: readonly Attack[], { message }: Error): Promise<Played> {
    for (const attacker of this.#attackers.splice(0)) attacker.kill()
    await this.#beginAnew()
    this.#victim.kill()
    this.#victim = new Child('./victim.ts')
    const verdict = { faults: [message], isSlow: false }
    return { verdict, row: `BROKEN  ${namesOf(attacks)}: ${message}`, times: [], growthOverAll: 0 }
  }

  async #beginAnew(): Promise<void> {
    await this.#site?.close()
    this.#site = undefined
    this.#ahead.clear()
  }

  async #measure(
    site: HostileSite,
    attackers: readonly Child[],
    attacks: readonly Attack[],
    prepared: readonly Prepared[],
    seconds: number,
  ): Promise<Measured & { counts: readonly Counts[] }> {
    const ready = await Promise.all(attackers.map((one) => one.last ?? one.next(ATTACKER_START_MS)))
    if (ready.some((word) => word === undefined)) throw new Error('An attacker did not start.')
    await this.#order({ kind: 'start', account: site.victim }, VICTIM_GRACE_MS)
    const meter = new Meter(site.pid, site.temporaryFolder, site.maxRss)
    await meter.start()
    const ends = attackers.map(async (attacker, i) => {
      const task: AttackTask = {
        name: attacks[i]!.name,
        url: site.url,
        prepared: prepared[i]!,
        // loopback, as the victim's, but another network: limits of one client must not be those of the other
        address: `127.0.${2 + i}.1`,
        seconds,
      }
      attacker.tell(task)
      const code = await attacker.ended(FIRST_ANSWER_MS + seconds * 1_000 + ATTACKER_GRACE_MS)
      attacker.kill()
      if (code) throw new Error(`The attacker failed at ${task.name}.`)
      // its first message is a word: it has not told any counts
      return typeof attacker.last === 'string' ? {} : (attacker.last as Counts)
    })
    const counts = await Promise.all(ends)
    const noticed = await this.#order<Noticed>({ kind: 'stop' }, VICTIM_GRACE_MS)
    return { counts, noticed, growth: await meter.stop() }
  }

  async #order<T>(order: VictimOrder, withinMs: number): Promise<T> {
    this.#victim.tell(order)
    const answer = await this.#victim.next<T>(withinMs)
    if (answer === undefined) throw new Error(`The victim did not answer to ${order.kind}.`)
    return answer
  }
}

/** What attacks left behind. A server that died is told by its last words. */
async function afterwards(site: HostileSite, attacks: readonly Attack[], seconds: number) {
  try {
    site.checkAlive()
    const notes: string[] = []
    for (const { inspect } of attacks) if (inspect) notes.push(await inspect(site, seconds))
    return { note: notes.join(', '), faults: [] }
  } catch (error) {
    return { note: '', faults: [(error as Error).message.slice(0, 1_000)] }
  }
}

/**
 * An attack must have an answer, else it tests nothing; and those beside it must have theirs. In a short run
 * on a busy machine, bodies of 31 MB may still be on their way: there a request is enough.
 */
function judgeCounts(
  attacks: readonly Attack[],
  counts: readonly Counts[],
  isShort: boolean,
): string[] {
  const isIdle = (one: Counts) => Object.keys(one).every((key) => key === 'asked' && !isShort)
  const idle = attacks.filter((attack, i) => attack !== control && isIdle(counts[i]!))
  const visits = counts.flatMap((one) =>
    Object.entries(one).filter(([answer]) => answer.startsWith(VISITOR)),
  )
  return [
    ...idle.map(({ name }) => `no answer to ${name}`),
    ...visits.map(([answer, count]) => `${count} x ${answer}`),
  ]
}

const namesOf = (attacks: readonly Attack[]) => attacks.map(({ name }) => name).join(' + ')

function rowOf(
  attacks: readonly Attack[],
  counts: readonly Counts[],
  { noticed: { times, sends }, growth }: Measured,
  note: string,
  { faults }: Verdict,
): string {
  const answers = counts.map((one) =>
    Object.entries(one)
      .map(([answer, count]) => `${count} x ${answer}`)
      .join(', '),
  )
  const [only = ''] = answers
  const columns = [
    faults.length === 0 ? 'held  ' : 'BROKEN',
    (attacks.length === 1 ? namesOf(attacks) : `${attacks.length} attacks`).padEnd(46),
    `p50 ${quantile(times, 0.5)} p99 ${quantile(times, 0.99)} max ${quantile(times, 1)} ms of ${times.length}`.padEnd(
      38,
    ),
    `sends p99 ${quantile(sends, 0.99)} ms`.padEnd(18),
    `memory +${megabytes(growth.rss)} of ${megabytes(growth.peakRss)} MB, files +${megabytes(growth.temporary)} MB`.padEnd(
      38,
    ),
    [...(attacks.length === 1 ? [only] : []), ...(note ? [note] : [])].join(', '),
  ]
  const each = attacks.map(({ name }, i) => `\n            ${name.padEnd(46)}  ${answers[i]}`)
  return columns.join('  ') + (attacks.length === 1 ? '' : each.join(''))
}

type Choose = (options: ScenarioContext['hostile']) => readonly (readonly Attack[])[]

const attacksOf = ({ isShort, attack = '' }: ScenarioContext['hostile'], who: Attack['who']) =>
  ATTACKS.filter((one) => one.who === who && one.name.includes(attack) && (!isShort || one.isShort))

/**
 * All attacks of users in groups; those of a family, which stand side by side, in different ones, unless they
 * are a crowd of their own.
 */
function crowds(options: ScenarioContext['hostile']): (readonly Attack[])[] {
  const all = Map.groupBy(attacksOf(options, 'user'), ({ crowd }) => crowd)
  const attacks = all.get(undefined) ?? []
  all.delete(undefined)
  const groups = Math.ceil(attacks.length / CROWD)
  const mixed = Array.from({ length: groups }, (_, i) => attacks.filter((_, k) => k % groups === i))
  return [...mixed, ...all.values()]
}

/** Of a short run: the next scenario plays on its server. */
let kept: Field | undefined

async function playAll(context: ScenarioContext, choose: Choose): Promise<Outcome> {
  const { isShort, seconds = isShort ? SHORT_SECONDS : SECONDS } = context.hostile
  const chosen = choose(context.hostile)
  const groups = kept ? chosen : [[control], ...chosen]
  const field = kept ?? new Field(context)
  kept = isShort ? field : undefined
  const faults: string[] = []
  let broken = 0
  let growth = 0
  const times: number[] = []
  try {
    if (isShort) await field.prepareAhead(groups.flat())
    for (const attacks of groups) {
      const begin = performance.now()
      const played = await field.play(attacks, seconds)
      const took = Math.round((performance.now() - begin) / 1_000)
      context.say(`${String(took).padStart(3)} s  ${played.row}`)
      times.push(...played.times)
      growth = Math.max(growth, played.growthOverAll)
      if (played.verdict.faults.length > 0) broken++
      faults.push(...played.verdict.faults.map((fault) => `${namesOf(attacks)}: ${fault}`))
    }
  } finally {
    if (!isShort) await field.close()
  }
  // attacks that were broken by themselves are told already
  if (broken === 0) faults.push(...judgeAll(times, growth, field.slackness))
  const [p50, p99, max] = [0.5, 0.99, 1].map((share) => quantile(times, share))
  const figures = [
    `${groups.length - broken} of ${groups.length} held`,
    `the victim: ${times.length} answers and events, p50 ${p50}, p99 ${p99}, max ${max} ms`,
    `memory +${megabytes(growth)} MB`,
    ...(field.slackness > 1 ? [`bounds of time x ${field.slackness.toFixed(1)}`] : []),
  ]
  return { faults, figures: figures.join(', ') }
}

const scenarioOf = (name: string, what: string, choose: Choose): Scenario => ({
  name,
  what,
  rounds: 1,
  async run(context) {
    if (process.platform !== 'linux')
      return { faults: [], figures: 'NOT RUN: it needs /proc, as Linux has it' }
    return playAll(context, choose)
  },
  async close() {
    await kept?.close()
    kept = undefined
  },
})

/** What one guest may do, another user must not notice. */
export const hostileGuest = scenarioOf(
  'hostile-guest',
  'one guest attacks by every route while another user works',
  (options) => attacksOf(options, 'guest').map((attack) => [attack]),
)

/** The same of a user who is signed in. */
export const hostileUser = scenarioOf(
  'hostile-user',
  'one user attacks by every route while another user works',
  (options) => attacksOf(options, 'user').map((attack) => [attack]),
)

/** Ten users at once, each with another attack. */
export const hostileCrowd = scenarioOf(
  'hostile-crowd',
  'ten users attack at once, each by another route, while another user works',
  crowds,
)
