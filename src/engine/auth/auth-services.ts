import type { Config } from '../../platform/config.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Logger } from '../../platform/log.ts'
import type { Language } from '../../portable/languages.ts'
import type { Store } from '../collections/catalog.ts'
import type { AuthCollection } from '../collections/collection.ts'
import type { Extensions } from '../records/collection-extension.ts'
import type { SettingsStore } from '../settings/settings-store.ts'

/** A message with a code, sent within `seconds` or never. Phones send `body`; records contain `shown`. */
export interface TextWithCode {
  readonly to: string
  readonly body: string
  readonly shown: string
  readonly seconds: number
  /** The address of the person who asked for the code; '' if not known. */
  readonly ip: string
}

export interface AuthServices {
  readonly extensions: Extensions
  readonly settings: Pick<SettingsStore, 'current'>
  readonly log: Logger
  readonly config: Pick<Config, 'publicUrl' | 'signInTries'>
  readonly textCode: (user: string, text: TextWithCode) => Promise<unknown>
}

export interface AuthCall<Form = unknown> {
  readonly store: Store
  readonly services: AuthServices
  readonly collection: AuthCollection
  readonly ip: string
  /** The language of its browser; undefined if it wants none of ours, or if no mail can follow. */
  readonly browser?: Language | undefined
  /** Reads the body. Called only after the collection was found to allow the request. Throws 400. */
  readonly readForm: () => Promise<Form>
}

export interface SignInOrigin {
  readonly ip: string
  readonly userAgent: string
}

/** A sign-in, or a request for a mail: what the limits of attempts count. */
export interface AuthAttempt {
  readonly db: Db
  readonly config: Pick<Config, 'signInTries'>
  readonly collection: string
  readonly account: string
  readonly ip: string
}

export const makeAuthAttempt = (
  { store, services, collection, ip }: Pick<AuthCall, 'store' | 'services' | 'collection' | 'ip'>,
  account: string,
): AuthAttempt => ({
  db: store.db,
  config: services.config,
  collection: collection.id,
  account,
  ip,
})
