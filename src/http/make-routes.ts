import { Hono } from 'hono'
import { sendRaw } from './answer.ts'
import type { Ctx, Env } from './context.ts'

type Work<T> = (caller: T, c: Ctx, id: string) => unknown

/**
 * Makes routes from functions, which get the caller and, as `id`, the first path parameter. A returned object
 * is sent as JSON, a returned text is JSON already, and undefined sends an empty 204.
 */
export function routesFor<T>(
  identify: (c: Ctx) => Promise<T>,
  routes: Readonly<Record<string, Work<T>>>,
  send: (c: Ctx, json: string) => Response = sendRaw,
): Hono<Env> {
  const app = new Hono<Env>()
  for (const [route, work] of Object.entries(routes)) {
    const [method, path] = route.split(' ') as [string, string]
    app.on(method, path, async (c) => {
      const made = await work(await identify(c), c, String(Object.values(c.req.param())[0] ?? ''))
      if (made instanceof Response) return made
      if (made === undefined) return c.body(null, 204)
      return send(c, typeof made === 'string' ? made : JSON.stringify(made))
    })
  }
  return app
}
