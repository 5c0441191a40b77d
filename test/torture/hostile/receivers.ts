import { createServer, type RequestListener } from 'node:http'
import type { AttackRun } from '../attacks/attack.ts'
import { flood } from '../attacks/sockets.ts'

/** Listens where the attack's webhooks lead, in the process of the attack. Counts the calls. */
export function receive(run: AttackRun, answer: RequestListener): void {
  createServer((request, response) => {
    run.count('called')
    request.resume()
    answer(request, response)
  }).listen(Number(run.prepared.port), '127.0.0.1')
}

/** Writes the same piece again and again, as fast as it is read. */
export const endlessly =
  (type: string, piece: string): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': type })
    const many = piece.repeat(Math.ceil((64 << 10) / piece.length))
    const more = () => {
      while (response.write(many));
    }
    response.on('drain', more).on('error', () => {})
    more()
  }

/** Texts that a device hands in again and again, to webhooks that `receive` answers. */
export const handIn = (run: AttackRun): Promise<void> =>
  flood(run, 2, (turn) => ({
    path: '/api/devices/incoming',
    token: run.prepared.device!,
    body: JSON.stringify(textsOf(turn, 20)),
  }))

/** Texts that a device hands in, from numbers that no turn repeats. */
export const textsOf = (turn: number, count: number) => ({
  items: Array.from({ length: count }, (_, i) => ({
    from: `+4915${1e7 + turn * count + i}`,
    body: 'Hi',
    received_at: new Date().toISOString(),
  })),
})
