import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { listenLocally } from '../../support/services/listen.ts'
import { judgeAtRest } from '../judge.ts'
import type { Scenario } from '../scenario.ts'
import { Senders } from '../senders.ts'
import { Site } from '../site.ts'

const WORK_MS = 5_000
/** Phones ask by themselves every 30 s. */
const DRAIN_SECONDS = 60

/** Phones reach the server through something that lets no wake-up pass. */
export const deaf: Scenario = {
  name: 'deaf',
  what: 'all wake-ups dropped: phones find out by asking',
  rounds: 1,
  async run(context) {
    const site = await Site.open(context)
    const proxy = await startDeafProxy(site.url)
    try {
      const user = await site.makeUser()
      for (let i = 0; i < 3; i++) (await site.addPhone(user, proxy.url)).start()
      await sleep(2_000)
      const senders = new Senders({ urls: [site.url], user, count: 4, pauseMs: 100 })
      senders.start()
      await sleep(WORK_MS)
      await senders.stop()
      const begin = Date.now()
      await site.drain(DRAIN_SECONDS)
      const seconds = ((Date.now() - begin) / 1000).toFixed(1)
      const { faults, figures } = await judgeAtRest(site, user, senders, DRAIN_SECONDS)
      const silent = proxy.dropped === 0 ? ['the proxy had nothing to drop'] : []
      return {
        faults: [...silent, ...faults],
        figures: `${figures}; the last left ${seconds} s after the last send`,
      }
    } finally {
      await site.close()
      await proxy.stop()
    }
  },
}

/** Passes on requests; of event streams it passes the comments only. */
async function startDeafProxy(target: string) {
  const server = createServer(async (request, response) => {
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    try {
      const { authorization = '', 'content-type': type = 'application/json' } = request.headers
      const body =
        request.method === 'GET'
          ? null
          : await new Response(request as unknown as ReadableStream).text()
      const answer = await fetch(target + request.url, {
        method: request.method!,
        headers: { authorization, 'content-type': type },
        body,
        signal: gone.signal,
      })
      const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream')
      response.writeHead(answer.status, {
        'content-type': answer.headers.get('content-type') ?? type,
      })
      if (!isStream) return void response.end(await answer.text())
      for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
        proxy.dropped += chunk.split('event: wake').length - 1
        response.write(': alive\n\n')
      }
      response.end()
    } catch {
      response.destroy()
    }
  })
  /** `dropped`: wake-ups that did not pass. */
  const proxy = { ...(await listenLocally(server)), dropped: 0 }
  return proxy
}
