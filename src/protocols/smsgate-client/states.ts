import { REASONS } from '../../sms/status/status.ts'

/** States of SMSGate that this server answers with. Not `Cancelling`: a cancellation is final at once. */
export const STATES = ['Pending', 'Cancelled', 'Processed', 'Sent', 'Delivered', 'Failed'] as const
export type State = (typeof STATES)[number]

/** SQL: the state of one message, which is the row with this alias. */
export const stateSql = (alias: string) => `case
  when ${alias}.status in ('pending', 'assigned') then 'Pending'
  when ${alias}.status = 'sending' then 'Processed'
  when ${alias}.status = 'sent' then 'Sent'
  when ${alias}.status = 'delivered' then 'Delivered'
  when ${alias}.error_message = '${REASONS.canceled}' then 'Cancelled'
  else 'Failed' end`

/** SQL aggregate: the state of a send, from the column `state` of its messages, as SMSGate's app tells it. */
export const WHOLE_STATE = `case
  when bool_or(state = 'Pending') then 'Pending'
  when bool_or(state = 'Cancelled') then 'Cancelled'
  when bool_or(state = 'Processed') then 'Processed'
  when bool_and(state = 'Failed') then 'Failed'
  when bool_and(state = 'Delivered') then 'Delivered'
  else 'Sent' end`

/** SQL: the state that an event (`e`) of a message tells of; null for one that tells of none. */
export const EVENT_STATE = `case e.status
  when 'sending' then 'Processed' when 'sent' then 'Sent' when 'delivered' then 'Delivered'
  when 'failed' then case e.detail when '${REASONS.canceled}' then 'Cancelled' else 'Failed' end end`
