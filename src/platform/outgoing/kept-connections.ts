import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'

/** An unused connection is closed after this time: most servers close it after 5 s, or name their limit. */
const IDLE_MS = 4_000
/** Three accounts' maximum of simultaneous calls: many accounts often call the same service. */
const MAX_IDLE_TO_HOST = 60
/** Maximum unused connections to all hosts together: each is an open file of this process. */
const MAX_IDLE = 800
/** A connection is replaced after this time, so that a host that has moved is found at its new address. */
const MAX_AGE_MS = 60_000

const OPTIONS = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: MAX_IDLE_TO_HOST }

const makeAgents = () => ({ 'http:': new HttpAgent(OPTIONS), 'https:': new HttpsAgent(OPTIONS) })

/** Two sets: a request that may reach only public addresses must not reuse a connection to a private one. */
const makeAllAgents = () => ({
  madeAt: performance.now(),
  toPublic: makeAgents(),
  toAny: makeAgents(),
})

let agents = makeAllAgents()

/** The agent that keeps the connections of a URL. Undefined if too many are unused. */
export function findKeptAgent({ protocol }: Pick<URL, 'protocol'>, allowPrivate: boolean) {
  // the unused connections of the old agents close by themselves
  if (performance.now() - agents.madeAt > MAX_AGE_MS) agents = makeAllAgents()
  const { toAny, toPublic } = agents
  const agent: HttpAgent = (allowPrivate ? toAny : toPublic)[
    protocol === 'https:' ? 'https:' : 'http:'
  ]
  const unused = Object.values(agent.freeSockets).reduce(
    (sum, sockets) => sum + (sockets?.length ?? 0),
    0,
  )
  return unused < MAX_IDLE ? agent : undefined
}
