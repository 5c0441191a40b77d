import { fieldError } from '../../platform/api-errors.ts'
import {
  allowOnly,
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
  required,
  url,
  when,
} from '../collections/checks.ts'
import { cronFault } from './cron.ts'
import type { RateLimitRule, S3Settings, Settings } from './settings.ts'

const LABEL = /^(\w+ \/[\w/-]*|\/[\w/-]*|\w+:\w+|\*:\w+|\w+)$/
const AUDIENCES = ['@guest', '@auth']

function s3Checks({ enabled }: S3Settings) {
  const needed = when(enabled, required)
  return {
    endpoint: [url, needed],
    bucket: [needed],
    region: [needed],
    accessKey: [needed],
    secret: [needed],
  }
}

const ruleChecks = fields({
  label: [required, matches(LABEL)],
  maxRequests: [required, atLeast(1)],
  duration: [required, atLeast(1)],
  audience: [allowOnly(AUDIENCES)],
})

const withoutConflicts: Check = (rules) => {
  const seen: string[] = []
  for (const [i, { label, audience }] of (rules as RateLimitRule[]).entries()) {
    const key = `${label}@@${audience}`
    if (seen.some((other) => other.startsWith(key) || key.startsWith(other))) {
      const message = `rate limit rule configuration with label ${label} already exists or conflicts with another rule`
      return {
        [i]: { label: fieldError('validation_conflicting_rate_limit_rule', message, { label }) },
      }
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
export function checkSettings(settings: Settings) {
  const { smtp, backups, batch, rateLimits } = settings
  const notHuge = atMost(Number.MAX_SAFE_INTEGER)
  const checks = {
    superuserIPs: [each(required, ipOrSubnet)],
    meta: {
      accentColor: [length(7, 7), hexColor],
      appName: [required, length(1, 255)],
      appURL: [required, url],
      senderName: [required, length(1, 255)],
      senderAddress: [email, required],
    },
    logs: {
      maxDataSize: [atLeast(0), notHuge],
      maxDays: [atLeast(0), notHuge],
      minLevel: [notHuge],
    },
    smtp: {
      host: [when(smtp.enabled, required), host],
      port: [when(smtp.enabled, required), atLeast(0)],
      authMethod: [allowOnly(['LOGIN', 'PLAIN'])],
      localName: [host],
    },
    s3: s3Checks(settings.s3),
    backups: {
      s3: s3Checks(backups.s3),
      cron: [cron],
      cronMaxKeep: [when(backups.cron !== '', required), atLeast(1)],
    },
    batch: {
      maxRequests: [when(batch.enabled, required), atLeast(0)],
      timeout: [when(batch.enabled, required), atLeast(0)],
      maxBodySize: [atLeast(0)],
    },
    rateLimits: {
      rules: [when(rateLimits.enabled, required), withoutConflicts, each(ruleChecks)],
      excludedIPs: [each(required, ipOrSubnet)],
    },
  }
  checkFields(settings, checks, 'An error occurred while saving the new settings.')
}
