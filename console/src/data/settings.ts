import { pb } from './client.ts'
import { type Answer, useAnswer } from './use/use-answer.ts'

/** A rate limit: at most `maxRequests` in `duration` seconds. `audience`: '' (all), '@guest' or '@auth'. */
export interface RateLimit {
  readonly label: string
  readonly audience: string
  readonly duration: number
  readonly maxRequests: number
}

export interface S3 {
  readonly enabled: boolean
  readonly bucket: string
  readonly region: string
  readonly endpoint: string
  readonly accessKey: string
  /** Write-only. If it is left out, the stored value stays. */
  readonly secret?: string
  readonly forcePathStyle: boolean
}

export interface Settings {
  readonly meta: {
    readonly appName: string
    readonly appURL: string
    readonly senderName: string
    readonly senderAddress: string
  }
  readonly smtp: {
    readonly enabled: boolean
    readonly host: string
    readonly port: number
    readonly username: string
    /** Write-only. If it is left out, the stored value stays. */
    readonly password?: string
    readonly authMethod: string
    readonly tls: boolean
  }
  readonly rateLimits: {
    readonly enabled: boolean
    readonly rules: readonly RateLimit[]
    readonly excludedIPs: readonly string[]
  }
  /** `logAuthId`: whether the log contains the id of the caller. */
  readonly logs: { readonly logAuthId: boolean }
  /** IP addresses and subnets that superusers may call from; empty for any. */
  readonly superuserIPs: readonly string[]
  readonly backups: { readonly cron: string; readonly cronMaxKeep: number; readonly s3: S3 }
  readonly trustedProxy: { readonly headers: readonly string[]; readonly useLeftmostIP: boolean }
}

/** A change of settings. Absent groups and members stay as they are. */
export type SettingsChange = {
  readonly [K in keyof Settings]?: Settings[K] extends readonly unknown[] ? Settings[K] : Partial<Settings[K]>
}

export const useSettings = (): Answer<Settings> => useAnswer<Settings>('/api/settings')

export const saveSettings = (body: SettingsChange): Promise<Settings> =>
  pb.send<Settings>('/api/settings', { method: 'PATCH', body })
