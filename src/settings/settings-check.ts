import {
  atLeast,
  atMost,
  type Check,
  checkFields,
  each,
  email,
  fields,
  hexColor,
  host,
  ipOrSubnet,
  length,
  matches,
  oneOf,
  required,
  url,
  when,
} from '../collections/checks/checks.ts'
import { fieldError } from '../errors.ts'
import { cronFault } from './cron.ts'
import type { RateLimitRule, S3Settings, Settings } from './settings.ts'

const LABEL = /^(\w+ \/[\w/-]*|\/[\w/-]*|\w+:\w+|\*:\w+|\w+)$/
const AUDIENCES = ['@guest', '@auth']

const s3 = ({ enabled }: S3Settings) =>
  fields({
    endpoint: [url, when(enabled, required)],
    bucket: [when(enabled, required)],
    region: [when(enabled, required)],
    accessKey: [when(enabled, required)],
    secret: [when(enabled, required)],
  })

const rateLimitRule = fields({
  label: [required, matches(LABEL)],
  maxRequests: [required, atLeast(1)],
  duration: [required, atLeast(1)],
  audience: [oneOf(AUDIENCES)],
})

/** Two rules conflict when label and audience of one begin with those of the other. */
const withoutConflicts: Check = (rules) => {
  const seen: string[] = []
  for (const [i, { label, audience }] of (rules as RateLimitRule[]).entries()) {
    const key = `${label}@@${audience}`
    if (seen.some((other) => other.startsWith(key) || key.startsWith(other))) {
      const message = `rate limit rule configuration with label ${label} already exists or conflicts with another rule`
      return { [i]: { label: fieldError('validation_conflicting_rate_limit_rule', message, { label }) } }
    }
    seen.push(key)
  }
  return undefined
}

const cron: Check = (value) => {
  const fault = value === '' ? undefined : cronFault(String(value))
  return fault === undefined ? undefined : fieldError('validation_invalid_cron', fault)
}

/** Throws 400 with PocketBase's errors, nested like the settings. PocketBase: core/settings_model.go */
export function checkSettings(settings: Settings): void {
  const { smtp, backups, batch, rateLimits } = settings
  const checks = {
    superuserIPs: [each(required, ipOrSubnet)],
    meta: [
      fields({
        accentColor: [length(7, 7), hexColor],
        appName: [required, length(1, 255)],
        appURL: [required, url],
        senderName: [required, length(1, 255)],
        senderAddress: [email, required],
      }),
    ],
    logs: [
      fields({
        maxDataSize: [atLeast(0), atMost(Number.MAX_SAFE_INTEGER)],
        maxDays: [atLeast(0), atMost(Number.MAX_SAFE_INTEGER)],
        minLevel: [atMost(Number.MAX_SAFE_INTEGER)],
      }),
    ],
    smtp: [
      fields({
        host: [when(smtp.enabled, required), host],
        port: [when(smtp.enabled, required), atLeast(0)],
        authMethod: [oneOf(['LOGIN', 'PLAIN'])],
        localName: [host],
      }),
    ],
    s3: [s3(settings.s3)],
    backups: [
      fields({
        s3: [s3(backups.s3)],
        cron: [cron],
        cronMaxKeep: [when(backups.cron !== '', required), atLeast(1)],
      }),
    ],
    batch: [
      fields({
        maxRequests: [when(batch.enabled, required), atLeast(0)],
        timeout: [when(batch.enabled, required), atLeast(0)],
        maxBodySize: [atLeast(0)],
      }),
    ],
    rateLimits: [
      fields({
        rules: [when(rateLimits.enabled, required), withoutConflicts, each(rateLimitRule)],
        excludedIPs: [each(required, ipOrSubnet)],
      }),
    ],
  }
  checkFields(settings, checks, 'An error occurred while saving the new settings.')
}
