import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../support/server/server-with-devices.ts'
import { judgeWatcher, type Watcher } from '../realtime-judge.ts'
import type { Outcome, Scenario, ScenarioContext } from '../scenario.ts'
import { Site, until } from '../site.ts'
import { Subscriber, type Topics } from '../subscriber.ts'
import { Writers, type Written } from '../writers.ts'

const NODES = 3
const SUBSCRIBERS = 300
const CHANGES = 2_000
const WRITERS = 16
const USERS = 20
const TEAMS = ['red', 'green', 'blue', 'grey']
/** Changes before a node is killed, and after it is back. */
const BEFORE = 500
const AFTER = 500
const MAX_TOLD = 5

/** Who may see what, by collection. */
const RULES: Readonly<Record<string, string | null>> = {
  open_tasks: '',
  own_tasks: 'owner = @request.auth.id',
  team_tasks: 'owner.name = @request.auth.name && @request.auth.id != ""',
  root_tasks: null,
}
const TOPICS: Topics = Object.fromEntries(Object.keys(RULES).map((name) => [name, `${name}/*`]))
/** Of what is open to all, only what has a mark. */
const FILTERED = `open_tasks/*?options=${encodeURIComponent('{"query":{"filter":"open = true"}}')}`

/** Somebody whose eyes a subscriber has. */
interface Person {
  readonly id: string
  readonly token: string
  readonly team: string
  readonly isRoot: boolean
}

/** A node is killed under 300 subscribers and comes back, while records change as fast as they can. */
export const realtime: Scenario = {
  name: 'realtime',
  what: 'kill -9 of one of three nodes under 300 realtime subscribers and 2,000 changes',
  rounds: 1,
  async run(context) {
    const site = await Site.open({ ...context, nodes: NODES })
    try {
      return await play(site, context)
    } finally {
      await site.close()
    }
  },
}

async function play(site: Site, context: ScenarioContext): Promise<Outcome> {
  const root = await site.signInRoot()
  const users = await makeUsers(site)
  await makeCollections(root)
  const watchers = makeWatchers(site, users, root)
  await Promise.all(watchers.map(({ subscriber }) => subscriber.open()))
  context.say(`${watchers.length} subscribers on ${NODES} nodes`)
  const urls = site.nodes.map(({ url }) => url)
  const writers = new Writers(
    urls,
    root.token,
    users.map(({ id }) => id),
    Object.keys(RULES),
  )
  const begin = performance.now()
  for (let round = 0; round < context.rounds; round++) await strike(site, writers, watchers, round, context)
  const seconds = (performance.now() - begin) / 1000
  const changes = Map.groupBy(writers.written, ({ id }) => id)
  await settle(watchers, changes)
  for (const { subscriber } of watchers) subscriber.close()
  const faults = watchers.flatMap((watcher) => judgeWatcher(watcher, changes))
  const told = faults.slice(0, MAX_TOLD)
  return {
    faults: [
      ...writers.faults.slice(0, MAX_TOLD),
      ...told,
      ...(faults.length > told.length ? [`… and ${faults.length - told.length} more`] : []),
    ],
    figures: figuresOf(watchers, writers.written, seconds),
  }
}

/** 2,000 changes, with a node killed and started in the middle; more, if it takes its time. */
async function strike(
  site: Site,
  writers: Writers,
  watchers: readonly Watcher[],
  round: number,
  context: ScenarioContext,
): Promise<void> {
  const node = site.nodes[round % NODES]!
  await writers.write(BEFORE, WRITERS)
  let isBack = false
  const restart = async () => {
    await node.kill()
    await node.start()
    isBack = true
  }
  const restarting = restart()
  await writers.write(CHANGES - BEFORE - AFTER, WRITERS)
  while (!isBack) await writers.write(WRITERS, WRITERS)
  await restarting
  await writers.write(AFTER, WRITERS)
  await until(
    'all are subscribed again',
    async () => watchers.every(({ subscriber }) => subscriber.isReady),
    30,
  )
  context.say(`round ${round + 1}: ${writers.written.length} changes`)
}

async function makeUsers(site: Site): Promise<Person[]> {
  const users: Person[] = []
  for (let i = 0; i < USERS; i++) {
    const team = TEAMS[i % TEAMS.length]!
    const { id, token } = await site.makeUser({ name: team })
    users.push({ id, token, team, isRoot: false })
  }
  return users
}

async function makeCollections(root: Client): Promise<void> {
  const owner = { name: 'owner', type: 'relation', collectionId: '_pb_users_auth_', maxSelect: 1 }
  const fields = [{ name: 'seq', type: 'number' }, { name: 'open', type: 'bool' }, owner]
  for (const [name, rule] of Object.entries(RULES)) {
    const body = { name, type: 'base', listRule: rule, viewRule: rule, fields }
    const { status, body: answer } = await root.call('POST', '/api/collections', body)
    if (status !== 200) throw new Error(`${name}: ${JSON.stringify(answer)}`)
  }
}

/** Users, now and then a superuser or a guest, spread over the nodes; every fifth with a filter. */
function makeWatchers(site: Site, users: readonly Person[], root: Client): Watcher[] {
  const urls = site.nodes.map(({ url }) => url)
  const teams = new Map(users.map(({ id, team }) => [id, team]))
  const guest: Person = { id: '', token: '', team: '', isRoot: false }
  const superuser: Person = { id: root.id, token: root.token, team: '', isRoot: true }
  return Array.from({ length: SUBSCRIBERS }, (_, i) => {
    const person = i % 30 === 0 ? superuser : i % 30 === 1 ? guest : users[i % users.length]!
    const isFiltered = i % 5 === 0
    const topics = isFiltered ? { ...TOPICS, open_tasks: FILTERED } : TOPICS
    return {
      name: `${i} (${person.isRoot ? 'superuser' : person.team || 'guest'})`,
      subscriber: new Subscriber(urls, i % NODES, person.token, topics),
      allows: (change) => isSeen(person, teams, change) && !(isFiltered && isHidden(change)),
    }
  })
}

const isHidden = ({ collection, open }: Written) => collection === 'open_tasks' && !open

/** The rules once more, in our own words. */
function isSeen(person: Person, teams: ReadonlyMap<string, string>, { collection, owner }: Written): boolean {
  if (person.isRoot || collection === 'open_tasks') return true
  if (collection === 'own_tasks') return person.id === owner
  return collection === 'team_tasks' && person.team !== '' && person.team === teams.get(owner)
}

/** Until nobody waits for anything, or it does not come. */
async function settle(
  watchers: readonly Watcher[],
  changes: ReadonlyMap<string, readonly Written[]>,
): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (watchers.every((watcher) => judgeWatcher(watcher, changes).length === 0)) break
    await sleep(100)
  }
  await sleep(500) // what should not come, either
}

function figuresOf(watchers: readonly Watcher[], written: readonly Written[], seconds: number): string {
  const sessions = watchers.map(({ subscriber }) => subscriber.sessions)
  const events = sessions.flat().reduce((sum, { told }) => sum + told.length, 0)
  const again = sessions.filter((all) => all.length > 1).length
  const answered = new Map(written.map(({ id, action, seq, at }) => [`${id} ${action} ${seq}`, at]))
  const delays = sessions
    .flatMap((all) => all.flatMap(({ told }) => told))
    .map(({ id, action, seq, at }) => at - (answered.get(`${id} ${action} ${seq}`) ?? at))
    .sort((a, b) => a - b)
  const at = (part: number) => Math.round(Math.max(0, delays[Math.floor(delays.length * part)] ?? 0))
  const unknown = written.filter(({ isKnown }) => !isKnown).length
  return [
    `${written.length} changes in ${seconds.toFixed(1)} s (${Math.round(written.length / seconds)}/s), ${unknown} without an answer`,
    `${events} events to ${watchers.length} subscribers, ${again} of whom had to come again`,
    `from answer to event: median ${at(0.5)} ms, p99 ${at(0.99)} ms`,
  ].join('; ')
}
