import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import type { AuthRecord } from '../../engine/request/request.ts'

/** Maximum carriers of an account. */
export const MAX_CARRIERS = 10

const secret = z.string().max(4_000).nullish()

export const CARRIER_BODY = z
  .object({
    name: z.string().max(255).nullish().describe('Default: the name of the preset.'),
    account: z
      .record(z.string(), z.unknown())
      .describe(
        'The settings of docs/carriers.md, without secrets: `preset`, `url`, `user`, `senders`, …',
      ),
    secret: secret.describe('The password or key. In a change: left out, the stored one remains.'),
    webhook_secret: secret.describe("Verifies the carrier's calls, if `secret` does not."),
    ready: z
      .boolean()
      .nullish()
      .describe(
        'True: any text may leave by it. Default: only texts that name it, until one of them was delivered. In a change: left out, it stays, but new credentials need a new test.',
      ),
    check: z
      .boolean()
      .nullish()
      .describe('Only return the request for a sample text. Stores nothing.'),
  })
  .meta({ id: 'CarrierBody' })
export type CarrierBody = z.output<typeof CARRIER_BODY>

export type MadeCarrier = z.output<typeof MADE_CARRIER>
export const MADE_CARRIER = z
  .object({
    device: z.string().describe("The carrier's device, a record of `devices`. Empty with `check`."),
    callback: z.string().describe("The address for the carrier's calls. Keep it secret."),
    request: z.string().describe('The request for a sample text, with masked secrets.'),
    accepted: z
      .boolean()
      .nullable()
      .describe(
        'Whether the carrier has accepted the credentials in a request that costs nothing. Null: a change leaves the account as it was, so it was not tried.',
      ),
    refusal: z
      .string()
      .describe('Why the carrier refused them, or could not be reached within 5 s; else empty.'),
  })
  .meta({ id: 'MadeCarrier' })

export const CARRIER_STATE = {
  running: z.boolean().describe('Whether a server runs it now.'),
  ready: z.boolean().describe('Whether texts may leave by it that do not name it.'),
  fault: z
    .string()
    .describe(
      "Why it sends nothing: the carrier's words while it refuses the account, or that it cannot be reached; else empty.",
    ),
}

export const CARRIER_LIST = z
  .object({
    items: z.array(
      z.object({
        device: z.string(),
        account: z.record(z.string(), z.unknown()),
        ...CARRIER_STATE,
      }),
    ),
    presets: z
      .array(
        z.object({
          name: z.string().describe('For `preset` of an account.'),
          url: z.string().describe("The carrier's address; empty: each account has its own."),
          user: z.string().describe("The carrier's own name of `user`; empty: it needs none."),
          secret: z.string().describe('The same for `secret`.'),
          webhook_secret: z
            .string()
            .describe('The same for `webhook_secret`; empty: `secret` verifies the calls.'),
          values: z.array(z.string()).describe('Names of further `values`.'),
          receipts: z.boolean().describe('Whether the carrier sends delivery reports.'),
          incoming: z.boolean().describe('Whether it sends incoming texts.'),
        }),
      )
      .describe('The carriers that can be added, without `custom`.'),
  })
  .meta({ id: 'Carriers' })

/** A request of a carrier. `query`: with its `?`, or ''. */
export interface CarrierCall {
  readonly method: string
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** The carriers that the servers run. Refusals are GatewayErrors. */
export interface CarrierService {
  create(store: Store, user: AuthRecord, body: CarrierBody): Promise<MadeCarrier>
  change(store: Store, user: AuthRecord, device: string, body: CarrierBody): Promise<MadeCarrier>
  list(store: Store, user: AuthRecord): Promise<z.output<typeof CARRIER_LIST>>
  /**
   * Takes a call. Throws 404 for an unknown token, 401 for a call that the carrier did not sign. Throws 503
   * after it has stored the rest, if a repeated call may bring missing files. `leave`: gives back the place
   * of the request, before files are fetched.
   */
  receive(token: string, call: CarrierCall, leave: () => void): Promise<void>
}
