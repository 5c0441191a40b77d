import { makeFieldError } from '../../platform/api-errors.ts'
import {
  type Check,
  checkAllowed,
  checkEach,
  checkEmail,
  checkFields,
  checkLength,
  checkMaximum,
  checkMinimum,
  checkObject,
  checkPattern,
  checkRequired,
  checkUrl,
  checkWhen,
  hexColor,
  host,
  ipOrSubnet,
} from '../fields/value-checks.ts'
import { findCronFault } from './cron.ts'
import type { RateLimitRule, S3Settings, Settings } from './settings-shape.ts'

const LABEL = /^(\w+ \/[\w/-]*|\/[\w/-]*|\w+:\w+|\*:\w+|\w+)$/
const AUDIENCES = ['@guest', '@auth']

function makeS3Checks({ enabled }: S3Settings) {
  const needed = checkWhen(enabled, checkRequired)
  return {
    endpoint: [checkUrl, needed],
    bucket: [needed],
    region: [needed],
    accessKey: [needed],
    secret: [needed],
  }
}

const ruleChecks = checkObject({
  label: [checkRequired, checkPattern(LABEL)],
  maxRequests: [checkRequired, checkMinimum(1)],
  duration: [checkRequired, checkMinimum(1)],
  audience: [checkAllowed(AUDIENCES)],
})

const checkConflicts: Check = (rules) => {
  const seen: string[] = []
  for (const [i, { label, audience }] of (rules as RateLimitRule[]).entries()) {
    const key = `${label}@@${audience}`
    if (seen.some((other) => other.startsWith(key) || key.startsWith(other))) {
      const message = `rate limit rule configuration with label ${label} already exists or conflicts with another rule`
      return {
        [i]: {
          label: makeFieldError('validation_conflicting_rate_limit_rule', message, { label }),
        },
      }
    }
    seen.push(key)
  }
  return undefined
}

const checkCron: Check = (value) => {
  const fault = value === '' ? undefined : findCronFault(String(value))
  return fault === undefined ? undefined : makeFieldError('validation_invalid_cron', fault)
}

/** Throws 400 with PocketBase's errors, nested like the settings. PocketBase: core/settings_model.go */
export function checkSettings(settings: Settings) {
  const { smtp, backups, batch, rateLimits } = settings
  const notHuge = checkMaximum(Number.MAX_SAFE_INTEGER)
  const checks = {
    superuserIPs: [checkEach(checkRequired, ipOrSubnet)],
    meta: {
      accentColor: [checkLength(7, 7), hexColor],
      appName: [checkRequired, checkLength(1, 255)],
      appURL: [checkRequired, checkUrl],
      senderName: [checkRequired, checkLength(1, 255)],
      senderAddress: [checkEmail, checkRequired],
    },
    logs: {
      maxDataSize: [checkMinimum(0), notHuge],
      maxDays: [checkMinimum(0), notHuge],
      minLevel: [notHuge],
    },
    smtp: {
      host: [checkWhen(smtp.enabled, checkRequired), host],
      port: [checkWhen(smtp.enabled, checkRequired), checkMinimum(0)],
      authMethod: [checkAllowed(['LOGIN', 'PLAIN'])],
      localName: [host],
    },
    s3: makeS3Checks(settings.s3),
    backups: {
      s3: makeS3Checks(backups.s3),
      cron: [checkCron],
      cronMaxKeep: [checkWhen(backups.cron !== '', checkRequired), checkMinimum(1)],
    },
    batch: {
      maxRequests: [checkWhen(batch.enabled, checkRequired), checkMinimum(0)],
      timeout: [checkWhen(batch.enabled, checkRequired), checkMinimum(0)],
      maxBodySize: [checkMinimum(0)],
    },
    rateLimits: {
      rules: [checkWhen(rateLimits.enabled, checkRequired), checkConflicts, checkEach(ruleChecks)],
      excludedIPs: [checkEach(checkRequired, ipOrSubnet)],
    },
  }
  checkFields(settings, checks, 'An error occurred while saving the new settings.')
}
