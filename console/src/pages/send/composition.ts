import type { PhoneFault } from '../../data/phone/phone-numbers.ts'

/** Somebody a text goes to. */
export interface Recipient {
  /** As the world dials it; of a bad one what was typed. */
  readonly phone: string
  /** The contact's name, or ''. */
  readonly name: string
  /** Why it is no number; undefined of one that is. */
  readonly fault?: PhoneFault | undefined
}

/** A text as it is being written. */
export interface Composition {
  readonly recipients: readonly Recipient[]
  /** Ids of groups. */
  readonly groups: readonly string[]
  readonly kind: 'text' | 'template'
  readonly text: string
  readonly template: string
  readonly variables: Readonly<Record<string, string>>
  readonly isLater: boolean
  /** Local, as the browser's field has it: `2026-11-20T08:30`. */
  readonly at: string
  /** '' for any. */
  readonly device: string
  /** '0' for the device's choice. */
  readonly sim: string
  readonly priority: string
  readonly guarantee: 'at_most_once' | 'at_least_once'
  /** Seconds after it is due; '' for never. */
  readonly giveUp: string
}

/** Nothing written yet. */
export const BLANK: Composition = {
  recipients: [],
  groups: [],
  kind: 'text',
  text: '',
  template: '',
  variables: {},
  isLater: false,
  at: '',
  device: '',
  sim: '0',
  priority: '0',
  guarantee: 'at_most_once',
  giveUp: '',
}

/** What `/api/sms/send`, `send-template` and `preview` take. What is at its default is left out. */
export type Request = Readonly<Record<string, unknown>>

/** The request for what was composed. */
export function requestOf(composition: Composition, variables: readonly string[]): Request {
  const { device, sim, priority, guarantee, giveUp, isLater, at } = composition
  return {
    ...whatOf(composition, valuesOf(composition, variables)),
    ...(device && { device_id: device }),
    ...(device && sim !== '0' && { sim: Number(sim) }),
    ...(isLater && at && { scheduled_at: new Date(at).toISOString() }),
    ...(giveUp && { ttl: Number(giveUp) }),
    ...(priority !== '0' && { priority: Number(priority) }),
    ...(guarantee !== 'at_most_once' && { guarantee }),
  }
}

/** What the preview is asked for: variables without a value show as they stand in the template. */
export const previewOf = (composition: Composition, variables: readonly string[]): Request => ({
  ...whatOf(composition, valuesOf(composition, variables)),
  ...(composition.kind === 'template' && { draft: true }),
})

/** What the sender filled in. The rest is each contact's own, or the template's default. */
const valuesOf = ({ variables: values }: Composition, variables: readonly string[]) =>
  Object.fromEntries(variables.flatMap((name) => (values[name] ? [[name, values[name]]] : [])))

/** To whom and what. */
function whatOf(composition: Composition, values: Readonly<Record<string, string>>): Request {
  const { recipients, groups, kind, text, template } = composition
  return {
    recipients: recipients.filter(({ fault }) => !fault).map(({ phone }) => phone),
    ...(groups.length > 0 && { group_ids: groups }),
    ...(kind === 'text' ? { body: text } : { template_id: template, variables: values }),
  }
}

const MAX_CHARACTERS = 1600

/**
 * What is still missing or wrong, by the name of its field; empty when it can be sent.
 * @param missing variables that neither the contacts nor the template have a value for.
 */
export function faultsOf(
  composition: Composition,
  missing: readonly string[],
  nowMs: number,
): Record<string, string> {
  const { recipients, groups, kind, text, template, isLater, at } = composition
  const faults: Record<string, string> = {}
  if (recipients.some(({ fault }) => fault)) faults.to = 'Some numbers are not right: correct or remove them.'
  else if (recipients.length === 0 && groups.length === 0)
    faults.to = 'Who is it for? Add a number, a contact or a group.'
  if (kind === 'text' && text === '') faults.text = 'Write a text first.'
  if (kind === 'text' && [...text].length > MAX_CHARACTERS)
    faults.text = `A text has at most ${MAX_CHARACTERS.toLocaleString()} characters.`
  if (kind === 'template' && template === '') faults.template = 'Choose a template.'
  if (kind === 'template')
    for (const name of missing)
      if (!composition.variables[name]) faults[`variable ${name}`] = 'This has no value yet.'
  if (isLater && !at) faults.at = 'When shall it go out?'
  if (isLater && at && new Date(at).getTime() <= nowMs) faults.at = 'This time is past.'
  return faults
}
