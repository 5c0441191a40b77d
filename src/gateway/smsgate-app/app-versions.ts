import { MAX_CAPACITY } from './phone-record.ts'

/** From this priority on, the app sends a text at any time. */
export const URGENT_PRIORITY = 100

/** Traits of a version of the app, by the app's source. */
export interface AppRules {
  /**
   * How many texts that it has yet to send the app may hold. 1: a text that arrives while the app sends
   * another one restarts its sender, which sends the other one twice.
   */
  readonly atOnce: number
  /**
   * Whether texts need a past `scheduleAt`. Versions before RESTARTS restart their sender for a text without
   * it, those from KEEPS on for a text beside others that have it.
   */
  readonly needsDate: boolean
  /** Whether the app may hold texts below URGENT_PRIORITY until the work hours of its owner begin. */
  readonly hasWorkHours: boolean
  readonly sendsMms: boolean
}

type Version = readonly [major: number, minor: number, patch: number]

/** From this version on, the app has work hours. */
const HOLDS: Version = [1, 69, 0]
/** From this version on, each text restarts the app's sender. */
const RESTARTS: Version = [1, 70, 4]
/** From this version on, a text restarts the sender only beside texts with `scheduleAt`. */
const KEEPS: Version = [1, 74, 1]

const SENDS_MMS: Version = [1, 74, 0]

const AGENT = /^me\.capcom\.smsgateway\/(\d{1,6})\.(\d{1,6})\.(\d{1,6})/

/** The rules of the app that sends this `User-Agent`. Of an unknown app: those that are safe for all. */
export function readAppRules(userAgent: string | undefined): AppRules {
  const [, ...numbers] = AGENT.exec(userAgent ?? '') ?? []
  if (numbers.length === 0)
    return { atOnce: 1, needsDate: false, hasWorkHours: true, sendsMms: false }
  const version = numbers.map(Number) as unknown as Version
  const needsDate = isBefore(version, RESTARTS)
  return {
    atOnce: needsDate || !isBefore(version, KEEPS) ? MAX_CAPACITY : 1,
    needsDate,
    hasWorkHours: !isBefore(version, HOLDS),
    sendsMms: !isBefore(version, SENDS_MMS),
  }
}

function isBefore(version: Version, other: Version): boolean {
  const i = version.findIndex((number, at) => number !== other[at])
  return i >= 0 && version[i]! < other[i]!
}
