import { ATTACKS } from '../attacks/all.ts'
import type { Attack, Prepared } from '../attacks/attack.ts'
import { control, warmUp } from '../attacks/control.ts'
import type { Outcome, Scenario, ScenarioContext } from '../scenario.ts'
import type { AttackTask, Counts } from './attacker.ts'
import { Child } from './child.ts'
import {
  judgeAll,
  judgeMeasured,
  type Measured,
  megabytes,
  quantile,
  slacknessOf,
  type Verdict,
} from './hostile-bounds.ts'
import { HostileSite } from './hostile-site.ts'
import { Meter, residentBytes } from './meter.ts'
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
    this.#site = await HostileSite.open(this.#stage.basePort)
    await this.#measure(this.#site, warmUp, await warmUp.prepare!(this.#site), WARM_UP_SECONDS)
    this.#restingRss = await residentBytes(this.#site.pid)
    return this.#site
  }

  /** Plays an attack. One that was only a little slow is played again: the machine may have been busy. */
  async play(attack: Attack, seconds: number): Promise<Played> {
    try {
      const first = await this.#playOnce(attack, seconds)
      return first.verdict.isSlow ? await this.#playOnce(attack, seconds) : first
    } catch (error) {
      return await this.#giveUp(attack, error as Error)
    }
  }

  get slackness(): number {
    return this.#slackness
  }

  async close(): Promise<void> {
    this.#victim.kill()
    await this.#site?.close()
  }

  async #playOnce(attack: Attack, seconds: number): Promise<Played> {
    const site = await this.site()
    const prepared = (await attack.prepare?.(site)) ?? {}
    if (attack.prepare) await site.settle(SETTLE_SECONDS)
    const { counts, ...measured } = await this.#measure(site, attack, prepared, seconds)
    if (attack !== control && (typeof counts !== 'object' || Object.keys(counts).length === 0))
      throw new Error(`${attack.name}: the attack did nothing.`)
    if (attack === control) {
      const factor = this.#stage.hostile.isShort ? SHORT_SLACKNESS : 1
      this.#slackness = factor * slacknessOf(measured)
    }
    const judged = judgeMeasured(measured, this.#slackness)
    const { note, faults: more } = await afterwards(site, attack, seconds)
    const verdict = { faults: [...judged.faults, ...more], isSlow: judged.isSlow && more.length === 0 }
    if (verdict.faults.length > 0) await this.#beginAnew()
    else await site.settle(SETTLE_SECONDS)
    const { times } = measured.noticed
    const row = rowOf(attack, counts, measured, note, verdict)
    return { verdict, times, row, growthOverAll: measured.growth.peakRss - this.#restingRss }
  }

  /** Nothing was measured: the attack failed or did nothing, or the server did not answer any more. */
  async #giveUp({ name }: Attack, { message }: Error): Promise<Played> {
    await this.#beginAnew()
    this.#victim.kill()
    this.#victim = new Child('./victim.ts')
    const verdict = { faults: [message], isSlow: false }
    return { verdict, row: `BROKEN  ${name}: ${message}`, times: [], growthOverAll: 0 }
  }

  async #beginAnew(): Promise<void> {
    await this.#site?.close()
    this.#site = undefined
  }

  async #measure(
    site: HostileSite,
    { name }: Attack,
    prepared: Prepared,
    seconds: number,
  ): Promise<Measured & { counts: Counts }> {
    const attacker = new Child('./attacker.ts')
    if (!(await attacker.next(ATTACKER_START_MS))) throw new Error('The attacker did not start.')
    await this.#order({ kind: 'start', account: site.victim }, VICTIM_GRACE_MS)
    const meter = new Meter(site.pid, site.temporaryFolder)
    await meter.start()
    const task: AttackTask = { name, url: site.url, prepared, seconds }
    attacker.tell(task)
    const code = await attacker.ended(seconds * 1_000 + ATTACKER_GRACE_MS)
    attacker.kill()
    if (code) throw new Error(`The attacker failed at ${name}.`)
    const counts = attacker.last as Counts
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

/** What an attack left behind. A server that died is told by its last words. */
async function afterwards(site: HostileSite, attack: Attack, seconds: number) {
  try {
    site.checkAlive()
    return { note: (await attack.inspect?.(site, seconds)) ?? '', faults: [] }
  } catch (error) {
    return { note: '', faults: [(error as Error).message.slice(0, 1_000)] }
  }
}

function rowOf(
  { name }: Attack,
  counts: Counts,
  { noticed: { times }, growth }: Measured,
  note: string,
  { faults }: Verdict,
): string {
  const answers = Object.entries(counts).map(([answer, count]) => `${count} x ${answer}`)
  const columns = [
    faults.length === 0 ? 'held  ' : 'BROKEN',
    name.padEnd(46),
    `p50 ${quantile(times, 0.5)} p99 ${quantile(times, 0.99)} max ${quantile(times, 1)} ms of ${times.length}`.padEnd(
      38,
    ),
    `memory +${megabytes(growth.rss)} MB, files +${megabytes(growth.temporary)} MB`.padEnd(32),
    [...answers, ...(note ? [note] : [])].join(', '),
  ]
  return columns.join('  ')
}

function attacksOf(
  who: Attack['who'],
  { isShort, attack = '' }: ScenarioContext['hostile'],
): readonly Attack[] {
  const isChosen = (one: Attack) => !isShort || one.isShort === true
  return ATTACKS.filter((one) => one.who === who && one.name.includes(attack) && isChosen(one))
}

async function playAll(context: ScenarioContext, who: Attack['who']): Promise<Outcome> {
  const { isShort, seconds = isShort ? SHORT_SECONDS : SECONDS } = context.hostile
  const field = new Field(context)
  const faults: string[] = []
  const attacks = [control, ...attacksOf(who, context.hostile)]
  let broken = 0
  let growth = 0
  const times: number[] = []
  try {
    for (const attack of attacks) {
      const played = await field.play(attack, seconds)
      context.say(played.row)
      times.push(...played.times)
      growth = Math.max(growth, played.growthOverAll)
      if (played.verdict.faults.length > 0) broken++
      faults.push(...played.verdict.faults.map((fault) => `${attack.name}: ${fault}`))
    }
  } finally {
    await field.close()
  }
  // attacks that were broken by themselves are told already
  if (broken === 0) faults.push(...judgeAll(times, growth, field.slackness))
  const [p50, p99, max] = [0.5, 0.99, 1].map((share) => quantile(times, share))
  const figures = [
    `${attacks.length - broken} of ${attacks.length} held`,
    `the victim: ${times.length} answers and events, p50 ${p50}, p99 ${p99}, max ${max} ms`,
    `memory +${megabytes(growth)} MB`,
    ...(field.slackness > 1 ? [`bounds of time x ${field.slackness.toFixed(1)}`] : []),
  ]
  return { faults, figures: figures.join(', ') }
}

const scenarioOf = (who: Attack['who'], what: string): Scenario => ({
  name: `hostile-${who}`,
  what,
  rounds: 1,
  async run(context) {
    if (process.platform !== 'linux')
      return { faults: [], figures: 'NOT RUN: it needs /proc, as Linux has it' }
    return playAll(context, who)
  },
})

/** What one guest may do, another user must not notice. */
export const hostileGuest = scenarioOf('guest', 'one guest attacks by every route while another user works')

/** The same of a user who is signed in. */
export const hostileUser = scenarioOf('user', 'one user attacks by every route while another user works')
