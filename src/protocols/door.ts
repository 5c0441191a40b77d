import { Hono } from 'hono'
import type { z } from 'zod'
import { readBytes } from '../http/body/raw-body.ts'
import type { Ctx, Env, ErrorForm, Protocol, Services } from '../http/context.ts'
import { gate } from '../http/middleware/gate.ts'
import { identifyKeyHolder, type KeyCredentials, SENDS } from '../http/middleware/sender.ts'
import { queryOf, readQuery } from '../http/query.ts'
import { retry } from '../http/retry.ts'
import { memoryOf } from '../http/server/store-of.ts'
import { SENDS as SEND_GROUP } from '../metrics/traffic.ts'
import { NOBODY } from '../openapi/schemas/operations.ts'
import { withPlus } from '../portable/phone.ts'
import { readSend, SEND } from '../sms/send/body.ts'
import type { Idempotency } from '../sms/send/idempotency.ts'
import { send } from '../sms/send/send.ts'
import { type Sender, senderOfKey } from '../sms/send/shape.ts'
import { addRoutes, describeRoutes, failuresOf, type TableRoute } from './route-table.ts'

// A door is an API of another product of which this server offers only the sending of texts.

export interface DoorCall {
  readonly c: Ctx
  readonly services: Services
}

export interface DoorRoute extends TableRoute<DoorCall> {
  readonly error: z.ZodType
}

/** The protocol of a door. Routes list the API key among their parameters, so there is no security scheme. */
export const doorProtocol = (
  name: string,
  description: string,
  roots: readonly string[],
  routes: readonly DoorRoute[],
  errorForm: ErrorForm,
): Protocol => ({
  group: name.replace('-', '_'),
  groups: Object.fromEntries(routes.map(({ at }) => [at, SEND_GROUP])),
  roots,
  errorForm,
  routes(services) {
    const app = new Hono<Env>()
    for (const root of roots) if (!root.startsWith('/api/')) app.use(`${root}/*`, gate(services))
    addRoutes<DoorCall, DoorRoute>(app, '', routes, (c, _, work) => work({ c, services }))
    return app
  },
  tags: [{ name, description }],
  paths: () =>
    describeRoutes(
      [name, NOBODY],
      '',
      routes,
      ({ error, isText }) => failuresOf(error, isText),
      ({ summary }) => summary,
    ),
})

/** A send with the fields of `POST /api/sms/send`, checked by the same rules. */
export interface DoorSend {
  readonly recipients: readonly string[]
  readonly group_ids?: readonly string[]
  readonly body?: string | undefined
  readonly from?: string | undefined
  readonly priority?: number | undefined
  readonly scheduled_at?: string | undefined
  readonly ttl?: number | undefined
}

type DoorSender = Sender & { readonly store: ReturnType<Services['store']['forUser']> }

/** Sends for the user of an API key. Returns the messages' ids in the order of the recipients. */
export const sendByKey = (
  services: Pick<Services, 'store' | 'sending'>,
  credentials: KeyCredentials,
  read: (sender: DoorSender) => DoorSend | Promise<DoorSend>,
  idempotency?: Idempotency | null,
): Promise<readonly string[]> =>
  retry(
    services.store,
    async (isCached): Promise<DoorSender> => {
      const holder = await identifyKeyHolder(services, credentials, SENDS, isCached)
      return { ...senderOfKey(holder), store: services.store.forUser(holder.auth.id) }
    },
    async (sender) => {
      const body = readSend(SEND, await read(sender), new Date())
      const { answer } = await send({ ...services.sending, store: sender.store }, sender, body, idempotency)
      return (JSON.parse(answer) as { message_ids: string[] }).message_ids
    },
    { startsCached: true },
  )

/** The parts of a list between separators, trimmed, each once. */
export const partsOf = (list: string, separator: RegExp | string = ','): string[] => {
  const parts = list.split(separator).map((part) => part.trim())
  return [...new Set(parts)].filter((part) => part !== '')
}

/** The numbers of a list, each once, with a leading `+`. */
export const numbersIn = (list: string, separator?: RegExp | string): string[] => [
  ...new Set(partsOf(list, separator).map(withPlus)),
]

const MAX_FORM_BYTES = 64 << 10

/** Parameters of the query and, for a POST, of the form, which replace those of the query. */
export async function parametersOf(c: Ctx): Promise<Readonly<Record<string, string>>> {
  if (c.req.method !== 'POST') return queryOf(c)
  const form = await readBytes(c.env.incoming, MAX_FORM_BYTES, () => memoryOf(c))
  return { ...queryOf(c), ...readQuery(`?${form.toString('utf8')}`) }
}
