import { type Account, identifyAccount } from '../../twilio/credentials.ts'
import { notFound } from '../../twilio/refusal.ts'
import { idOf } from '../../twilio/sid.ts'
import { withRoom } from '../body/large-answer.ts'
import type { Ctx, Services } from '../context.ts'
import { withCatalog } from '../middleware/fresh-catalog.ts'
import { checkRate } from '../middleware/gate.ts'
import { clientIp } from '../server/client-ip.ts'
import { holderOf } from '../server/holder.ts'

/** The account that asks, read from the database. Throws 401. */
export const identify = (c: Ctx, { store }: Services): Promise<Account> =>
  withCatalog(store, () => identifyAccount(store, c.env.incoming.headers.authorization))

/** Checks rate limit (429), credentials (401) and the account in the path (404), then runs `work`. */
export async function enter(
  c: Ctx,
  services: Services,
  work: (account: Account) => Promise<Response>,
): Promise<Response> {
  c.set('services', services)
  const account = await identify(c, services).catch((error: unknown) => {
    pay(c, services, null)
    throw error
  })
  pay(c, services, account)
  c.set('asker', account.auth)
  c.set('holder', holderOf(c.env.incoming, services, account.auth))
  const inPath = (c.req.param('AccountSid') ?? account.sid).replace(/\.json$/, '')
  if (idOf('AC', inPath) !== account.user) throw notFound()
  try {
    return await withRoom(() => withCatalog(services.store, () => work(account)))
  } finally {
    c.get('leave')?.()
  }
}

const pay = (c: Ctx, services: Services, account: Account | null) =>
  checkRate(services, account?.auth ?? null, clientIp(c, services), c.req.method, c.req.path)
