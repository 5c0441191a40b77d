import { request } from 'node:http'
import { parentPort } from 'node:worker_threads'

// A client in a thread of its own: what it does costs the server's event loop nothing.

export interface Shot {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export interface ShotAnswer {
  readonly status: number
  readonly text: string
}

/** Only the beginning of an answer is told. */
const TOLD = 300

const fire = ({ url, method, headers, body }: Shot): Promise<ShotAnswer> =>
  new Promise((resolve) => {
    const asked = request(
      url,
      { method, headers: { ...headers, 'content-length': body.length } },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (piece: string) => {
          if (text.length < TOLD) text += piece.slice(0, TOLD)
        })
        answer.on('close', () => resolve({ status: answer.statusCode ?? 0, text }))
      },
    )
    asked.on('error', (error) => resolve({ status: 0, text: error.message }))
    asked.end(body)
  })

parentPort!.on('message', async (shot: Shot) => parentPort!.postMessage(await fire(shot)))
