/** What decides whether a device may be given messages. */
export interface Availability {
  /** A device counts as online that long after it was last seen. */
  readonly deviceOnlineSeconds: number
}

/** Messages handed to a device in the last `window`, as SQL. */
const handedOut = (device: string, window: string) =>
  `(select coalesce(sum(h.messages), 0) from device_handouts h
    where h.device = ${device}.id and h.at > now() - interval '${window}')`

/**
 * SQL that is true for a row of `devices` (by its alias) that can take messages now: enabled, seen lately or with
 * a push subscription, below its limits. `seconds`: the parameter with `deviceOnlineSeconds`, as `$3`.
 */
export function isAvailable(device: string, seconds: string): string {
  return `(${device}.enabled
    and (${isOnline(device, seconds)} or pb_is_set(${device}.push))
    and (${device}.per_minute <= 0 or ${handedOut(device, '1 minute')} < ${device}.per_minute)
    and (${device}.daily_limit <= 0 or ${handedOut(device, '1 day')} < ${device}.daily_limit))`
}

/** SQL that is true for a row of `devices` that was seen within `seconds`, a parameter. */
export const isOnline = (device: string, seconds: string) =>
  `${device}.last_seen >= pb_text(now() - ${seconds}::float8 * interval '1 second')`

/** SQL: how many more messages the limits of a device (a row by its alias) let it have now; null when unlimited. */
export const allowance = (device: string) =>
  `least(
    case when ${device}.per_minute > 0 then ${device}.per_minute - ${handedOut(device, '1 minute')} end,
    case when ${device}.daily_limit > 0 then ${device}.daily_limit - ${handedOut(device, '1 day')} end)`
