import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { until } from '../until.ts'
import { listenLocally } from './listen.ts'

/** A call as it arrived. */
export interface ReceivedCall {
  readonly path: string
  readonly id: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  readonly event: any
  readonly at: number
}

type Behave = (told: ReceivedCall, res: ServerResponse, req: IncomingMessage) => void

/**
 * Someone who is told by webhooks: a real server that keeps what it got. `behave`: how it answers; 204 by
 * default.
 */
export async function startReceiver(port = 0) {
  const told: ReceivedCall[] = []
  let behave: Behave = (_, res) => res.writeHead(204).end()
  let open = 0
  let most = 0
  const server = createServer(async (req, res) => {
    most = Math.max(most, ++open)
    res.on('close', () => open--)
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const headers = req.headers as Record<string, string>
    const one = {
      path: req.url ?? '',
      id: headers['webhook-id'] ?? '',
      headers,
      body,
      event: body && /json/.test(headers['content-type'] ?? '') ? JSON.parse(body) : body,
      at: performance.now(),
    }
    told.push(one)
    behave(one, res, req)
  })
  return {
    ...(await listenLocally(server, port)),
    told,
    /** How many calls were open at once, at most. */
    most: () => most,
    behave(next: Behave) {
      behave = next
    },
    answer(status: number, body = '', headers: Record<string, string> = {}) {
      behave = (_, res) => res.writeHead(status, headers).end(body)
    },
    /** Waits until there were so many calls. */
    async heard(count: number, withinMs = 40_000): Promise<readonly ReceivedCall[]> {
      await until(`${count} calls`, () => told.length >= count, withinMs)
      return told
    },
  }
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** Throws unless the call was signed with the secret. */
export const verify = (secret: string, { body, headers }: ReceivedCall): unknown =>
  new Webhook(secret).verify(body, headers)
