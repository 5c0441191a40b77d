import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const PROBE_MS = 100

/** A proxy before servers: passes each connection to one that says at `/api/ready` that it is ready. */
export class Front {
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
export const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/api/ready`, { signal: AbortSignal.timeout(2_000) }).then(
    async (answer) => {
      await answer.arrayBuffer()
      return answer.ok
    },
    () => false,
  )
