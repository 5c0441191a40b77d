import { pb } from './client.ts'
import { type Answer, useAnswer } from './use/use-answer.ts'

/** A rate limit: at most `maxRequests` in `duration` seconds. `audience`: '' (all), '@guest' or '@auth'. */
export interface RateLimit {
  readonly label: string
  readonly audience: string
  readonly duration: number
  readonly maxRequests: number
}

/** The settings that the console reads by name. Forms name the others by their paths, as `smtp.host`. */
export interface Settings {
  readonly smtp: { readonly enabled: boolean }
  readonly rateLimits: { readonly rules: readonly RateLimit[] }
  /** `logAuthId`: whether the log contains the id of the caller. */
  readonly logs: { readonly logAuthId: boolean }
  /** IP addresses and subnets that superusers may call from; empty for any. */
  readonly superuserIPs: readonly string[]
  readonly backups: { readonly cron: string; readonly s3: { readonly enabled: boolean } }
}

/** A change of settings. Absent groups and members stay as they are. */
export type SettingsChange = {
  readonly [K in keyof Settings]?: Settings[K] extends readonly unknown[]
    ? Settings[K]
    : Partial<Settings[K]>
}

export const useSettings = (): Answer<Settings> => useAnswer<Settings>('/api/settings')

export const saveSettings = (body: SettingsChange): Promise<Settings> =>
  pb.send<Settings>('/api/settings', { method: 'PATCH', body })
