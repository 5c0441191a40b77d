import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { Extensions } from '../records/extension.ts'
import type { SettingsStore } from '../settings/settings-store.ts'

/** What sign-in needs beside the store. */
export interface AuthServices {
  readonly extensions: Extensions
  readonly settings: Pick<SettingsStore, 'current'>
  readonly log: Logger
  readonly config: Pick<Config, 'publicUrl' | 'signInTries'>
}
