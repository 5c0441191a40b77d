import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  listReleases,
  nextVersion,
  type OtherVersion,
  openRelease,
} from '../../support/server/other-version.ts'
import { CLONE } from '../../support/server/program-files.ts'
import { judgeAtRest } from '../judge.ts'
import { ServerNode } from '../node.ts'
import type { Outcome, Scenario, ScenarioContext } from '../scenario.ts'
import { Senders } from '../senders.ts'
import { Site, until } from '../site.ts'

const PROBE_MS = 100

/** A proxy before servers: passes each connection to one that says at `/api/ready` that it is ready. */
class Front {
  readonly #server: Server
  /** Servers by URL, in the order in which they are tried. */
  readonly #urls: readonly string[]
  readonly #ready = new Set<string>()
  readonly #sockets = new Set<Socket>()
  #isOver = false
  #turn = 0

  private constructor(urls: readonly string[]) {
    this.#urls = urls
    this.#server = createServer((near) => this.#pass(near))
  }

  /** `urls` may change. */
  static async open(urls: readonly string[]): Promise<Front> {
    const front = new Front(urls)
    front.#server.listen(0, '127.0.0.1')
    await once(front.#server, 'listening')
    void front.#probe()
    return front
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#isOver = true
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  async #probe(): Promise<void> {
    for (; !this.#isOver; await sleep(PROBE_MS))
      for (const url of this.#urls)
        if (await isReady(url)) this.#ready.add(url)
        else this.#ready.delete(url)
  }

  #pass(near: Socket): void {
    const ready = this.#urls.filter((url) => this.#ready.has(url))
    const url = ready[this.#turn++ % ready.length]
    if (!url) return void near.destroy()
    const far = connect(Number(new URL(url).port), '127.0.0.1')
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(end)
      end.pipe(other)
      end.on('error', () => other.destroy())
      end.on('close', () => this.#sockets.delete(end))
    }
  }
}

/** Whether a server says that it takes requests. */
const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/api/ready`, { signal: AbortSignal.timeout(2_000) }).then(
    async (answer) => {
      await answer.arrayBuffer()
      return answer.ok
    },
    () => false,
  )

const SENDERS = 8
const PHONES = 3
const PAUSE_MS = 100
/** How long both versions serve, and each server after the one before it has stopped. */
const TOGETHER_MS = 1_500
/** How soon a server says that it is ready, or that it is too old. */
const WAIT_SECONDS = 15
const DRAIN_SECONDS = 60
/** `STOP_DELAY_SECONDS`: phones find another server. Leases outlive that. */
const ENV = { STOP_DELAY_SECONDS: '1', LEASE_SECONDS: '60' }

/** `release`: the folder of the old version; `home`: of the new one, undefined: of this one. */
interface Step {
  readonly what: string
  readonly release: string
  readonly home?: string
  /** The old servers must stop their work. */
  readonly isBreaking: boolean
}

/** Servers of each release and newer ones on one Postgres, under load. */
export const upgrade: Scenario = {
  name: 'upgrade',
  what: 'two servers of each release are replaced one by one by this version, those of the last also by one that they cannot go on with',
  rounds: 10,
  async run(context) {
    const versions: OtherVersion[] = []
    const made = (version: OtherVersion) => {
      versions.push(version)
      return version.home
    }
    try {
      const steps: Step[] = listReleases().map((name) => {
        const release = made(openRelease(name))
        return { what: `${name} by this version`, release, isBreaking: stopsServersOf(release) }
      })
      const [{ release }] = steps as [Step]
      const breaking = { release, home: made(nextVersion()), isBreaking: true }
      steps.push({ what: 'the last release by a breaking migration', ...breaking })
      // each release at least once
      const rounds = Math.max(context.rounds, steps.length)
      const faults: string[] = []
      for (let round = 0; round < rounds; round++) {
        const step = steps[round % steps.length]!
        const outcome = await replace(context, step)
        const name = `round ${round + 1}, ${step.what}`
        context.say(`${name}: ${outcome.figures}`)
        faults.push(...outcome.faults.map((fault) => `${name}: ${fault}`))
      }
      return { faults, figures: `${rounds} upgrades` }
    } finally {
      for (const { remove } of versions) remove()
    }
  },
}

/** Whether servers of another version in `home` cannot go on beside this one. */
function stopsServersOf(home: string): boolean {
  const list = (folder: string) => readdirSync(join(folder, 'sql/migrations'))
  const known = list(home)
  return list(CLONE)
    .filter((file) => !known.includes(file))
    .some((file) => /set oldest = /.test(readFileSync(join(CLONE, 'sql/migrations', file), 'utf8')))
}

/** Replaces two servers of a release one by one, under load. */
async function replace(context: ScenarioContext, step: Step): Promise<Outcome> {
  const site = await Site.open({ ...context, nodes: 2, env: ENV, home: step.release })
  const urls = site.nodes.map(({ url }) => url)
  const front = await Front.open(urls)
  try {
    const { user, senders } = await startLoad(site, front, urls)
    await sleep(TOGETHER_MS)
    const newer = new ServerNode(context.basePort + 2, { ...site.embedded!.env, ...ENV }, step.home)
    const faults = await exchange(site, urls, newer, step)
    const { faults: found, figures } = await judgeAtRest(site, user, senders, DRAIN_SECONDS)
    const refused = [...senders.unavailable.values()].reduce((sum, count) => sum + count, 0)
    return {
      faults: [...faults, ...found, ...(await judgeAnswers(site, senders, step))],
      figures: `${figures}; ${refused} answers with 503`,
    }
  } finally {
    front.close()
    await site.close()
  }
}

/** Senders know all servers, phones the proxy alone. */
async function startLoad(site: Site, front: Front, urls: readonly string[]) {
  const user = await site.makeUser()
  await until('the proxy has found a server', () => isReady(front.url), WAIT_SECONDS)
  for (let i = 0; i < PHONES; i++) await site.addPhone(user, front.url)
  for (const phone of site.phones) phone.start()
  const senders = new Senders({ urls, user, count: SENDERS, pauseMs: PAUSE_MS })
  senders.start()
  return { user, senders }
}

/** Starts the new server, which migrates, then stops the old ones one by one. */
async function exchange(
  site: Site,
  urls: string[],
  newer: ServerNode,
  { isBreaking }: Step,
): Promise<string[]> {
  const old = [...site.nodes]
  const areReady = () => Promise.all(old.map(({ url }) => isReady(url)))
  site.nodes.push(newer)
  await newer.start()
  urls.push(newer.url)
  if (isBreaking)
    await until(
      'the old servers are unready',
      async () => !(await areReady()).includes(true),
      WAIT_SECONDS,
    )
  await sleep(TOGETHER_MS)
  const wrong = (await areReady()).filter((ready) => ready === isBreaking)
  for (const node of old) {
    urls.splice(urls.indexOf(node.url), 1)
    await node.stop()
    await sleep(TOGETHER_MS)
  }
  newer.checkAlive()
  return wrong.map((ready) => `an old server says ready: ${ready}`)
}

/** Only old servers that had to stop may have refused sends. */
async function judgeAnswers(site: Site, senders: Senders, { isBreaking }: Step): Promise<string[]> {
  const failed = await site.value(`select count(*) from sms_messages where status = 'failed'`)
  const mayRefuse = isBreaking ? site.nodes.slice(0, -1).map(({ url }) => url) : []
  const wrong = [...senders.unavailable].filter(([url]) => !mayRefuse.includes(url))
  return [
    ...wrong.map(([url, times]) => `${url} answered ${times} times with 503`),
    ...[...senders.refused].map(([why, times]) => `answered ${times} times: ${why}`),
    ...(senders.refused.size > 0 ? site.nodes.flatMap((node) => node.failures()) : []),
    ...(failed > 0 ? [`${failed} messages failed`] : []),
    ...(senders.unanswered > 0 ? [`${senders.unanswered} requests got no answer`] : []),
  ]
}
