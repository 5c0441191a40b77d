/** SQL: a device seen since then counts as online; `seconds` is a parameter, as `$1`. */
export const onlineSince = (seconds: string) => `pb_text(now() - ${seconds}::float8 * interval '1 second')`

/** SQL of a table with the ids of a user's devices that can take messages now, as sms_accept sees them. */
export const availableDevices = (user: string, seconds: string) =>
  `sms_available_devices(${user}, ${onlineSince(seconds)})`

/** Messages handed to a device in the last `window`, as SQL. */
const handedOut = (device: string, window: string) =>
  `(select coalesce(sum(h.messages), 0) from device_handouts h
    where h.device = ${device}.id and h.at > now() - interval '${window}')`

/** SQL: how many messages a device's limits allow now (`device`: alias of its row); null for no limit. */
export const allowance = (device: string) =>
  `least(
    case when ${device}.per_minute > 0 then ${device}.per_minute - ${handedOut(device, '1 minute')} end,
    case when ${device}.daily_limit > 0 then ${device}.daily_limit - ${handedOut(device, '1 day')} end)`
