import type { SettingsStore } from '../collections/settings-store.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { Extensions } from '../records/extension.ts'

/** What signing in needs beside the store. The services of the http room are one. */
export interface Desk {
  readonly extensions: Extensions
  readonly settings: Pick<SettingsStore, 'current'>
  readonly log: Logger
  readonly config: Pick<Config, 'publicUrl' | 'signInTries'>
}
