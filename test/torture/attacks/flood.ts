import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AttackRun } from './attack.ts'

/** One request of a flood. */
export interface Shot {
  readonly method?: string
  readonly path: string
  /** By default that of the user whom the attack prepared, if any. */
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** The client hangs up so many milliseconds after it asked. */
  readonly hangUpMs?: number
  /** The answer is never read; the connection stays open until the attack ends. */
  readonly isUnread?: boolean
  /** The client address, instead of the attack's. */
  readonly address?: string
}

/** Sends requests on so many connections until the attack ends. `shotOf` gets the number of the request. */
export async function flood(
  run: AttackRun,
  connections: number,
  shotOf: (turn: number) => Shot,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  let turn = 0
  const shoot = async () => {
    while (!run.isOver()) {
      const answer = await send(run, shotOf(turn++), agent)
      run.count(answer)
      if (typeof answer === 'string') await sleep(5)
    }
  }
  const all = Promise.all(Array.from({ length: connections }, shoot))
  await Promise.race([all, run.end])
}

/** Sends one request; answers its status, or what came instead. Never throws. */
export function send(run: AttackRun, shot: Shot, agent?: Agent): Promise<number | string> {
  const { method = shot.body === undefined ? 'GET' : 'POST', path, headers, body } = shot
  const { token = run.prepared.token } = shot
  const { hostname, port } = new URL(run.url)
  const all = {
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }),
    ...(token && { authorization: token }),
    ...headers,
  }
  run.count('asked')
  const isPrivate = shot.isUnread || shot.hangUpMs !== undefined
  const options = { hostname, port, method, path, headers: all, localAddress: shot.address ?? run.address }
  return new Promise((resolve) => {
    const asking = request({ ...options, agent: isPrivate ? false : agent })
    asking.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'))
    asking.once('response', (answer) => void finish(answer, shot, run).then(resolve))
    if (shot.hangUpMs !== undefined) {
      setTimeout(() => {
        asking.destroy()
        resolve('hung up')
      }, shot.hangUpMs)
    }
    asking.end(body)
  })
}

async function finish(answer: IncomingMessage, { isUnread }: Shot, run: AttackRun): Promise<number> {
  const status = answer.statusCode ?? 0
  answer.on('error', () => {})
  if (answer.headers['content-type']?.startsWith('text/event-stream')) {
    // it would not end
    answer.destroy()
  } else if (isUnread && status === 200) {
    // a little is read and then nothing more
    answer.pause()
    await run.end
  } else {
    answer.resume()
    await new Promise((resolve) => answer.once('close', resolve))
  }
  return status
}

/** A flood of GET requests: `paths` in turn. */
export const floodPaths = (run: AttackRun, connections: number, paths: readonly string[]) =>
  flood(run, connections, (turn) => ({ path: paths[turn % paths.length]! }))

/** A query string of these parameters. */
export const query = (parameters: Readonly<Record<string, string>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
