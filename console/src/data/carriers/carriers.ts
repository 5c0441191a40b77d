import { t } from '../../language/words.ts'
import { pb } from '../client.ts'
import { type Answer, useAnswer } from '../use/use-answer.ts'

/** The needs of an account of a preset. Credentials have the carrier's own names; '' for parts it lacks. */
export interface CarrierPreset {
  readonly name: string
  /** The carrier's address; '' if each account has its own. */
  readonly url: string
  readonly user: string
  readonly secret: string
  readonly webhook_secret: string
  readonly values: readonly string[]
  readonly receipts: boolean
  readonly incoming: boolean
}

/** Settings of a carrier's account, without secrets. */
export type CarrierAccount = Readonly<Record<string, unknown>> & { readonly preset: string }

export interface Carrier {
  readonly device: string
  readonly account: CarrierAccount
  readonly running: boolean
  /** Whether texts leave by it that do not name it. */
  readonly ready: boolean
  readonly fault: string
}

export interface CarrierBody {
  readonly name?: string
  readonly account: CarrierAccount
  readonly secret?: string
  readonly webhook_secret?: string
  /** Any text may leave by it, though none was delivered yet. */
  readonly ready?: boolean
  /** Only returns the request for a sample text. */
  readonly check?: boolean
}

interface MadeCarrier {
  readonly device: string
  readonly callback: string
  readonly request: string
  /** Whether the carrier has accepted the credentials; null: they were not tried, because nothing changed. */
  readonly accepted: boolean | null
  /** Why it refused them, or cannot be reached; else ''. */
  readonly refusal: string
}

const PATH = '/api/devices/carriers'

/** A carrier without a preset. All of its credentials are optional. */
export const CUSTOM: CarrierPreset = {
  name: 'custom',
  url: '',
  user: t('User'),
  secret: t('Password or key'),
  webhook_secret: t('Key of the signature'),
  values: [],
  receipts: true,
  incoming: true,
}

/** The carriers of the account, and the presets that can be added. */
export const useCarriers = (
  everyMs?: number,
): Answer<{ items: readonly Carrier[]; presets: readonly CarrierPreset[] }> =>
  useAnswer(PATH, everyMs)

/** Adds a carrier, or changes that of `device`. With `check` stores nothing. */
export const saveCarrierAccount = (device: string, body: CarrierBody) =>
  pb.send<MadeCarrier>(device ? `${PATH}/${device}` : PATH, {
    method: device ? 'PUT' : 'POST',
    body,
  })
