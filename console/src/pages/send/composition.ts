import { isSameName } from '#portable/fold-text.ts'
import type { PhoneFault } from '#portable/phone/read-phone.ts'
import type { Estimate } from '../../data/cost-estimate.ts'
import type { Campaign } from '../../data/record-types.ts'
import { makeRepeatRequest, ONCE, type Repeat } from '../../data/repeat.ts'
import { parseLocalTime } from '../../data/text/local-time.ts'
import { addDefaults, listVariables } from '../../data/text/variables.ts'

export interface Recipient {
  /** In E.164; as typed if it is invalid. */
  readonly phone: string
  /** The contact's name, or ''. */
  readonly name: string
  /** As typed; undefined for a contact. */
  readonly typed?: string
  readonly fault?: PhoneFault
}

export interface Composition {
  /** Whether the send becomes a campaign, however few get it. `name`: that of the campaign. */
  readonly isCampaign: boolean
  readonly name: string
  readonly recipients: readonly Recipient[]
  readonly groups: readonly string[]
  /** A filter of contacts who are recipients of a campaign, too: see `readFilter`. */
  readonly filter: string
  readonly kind: 'text' | 'template'
  readonly text: string
  readonly template: string
  readonly variables: Readonly<Record<string, string>>
  readonly isLater: boolean
  /** Local time, as a datetime-local input gives it: `2026-11-20T08:30`. */
  readonly at: string
  readonly repeat: Repeat
  /** The device that sends and chooses the SIM; '' for any. */
  readonly device: string
  /** The line (SIM) that sends; '' for any. */
  readonly line: string
  readonly priority: string
  readonly guarantee: 'at_most_once' | 'at_least_once'
  /** Seconds after the due time until the text expires; '' for never. */
  readonly giveUp: string
  /** Whether the text waits during quiet hours; null for the default: only campaigns wait. */
  readonly isQuiet: boolean | null
  /** Whether the send is a campaign that leaves out people without proof of consent. */
  readonly needsConsent: boolean
}

export const BLANK: Composition = {
  isCampaign: false,
  name: '',
  recipients: [],
  groups: [],
  filter: '',
  kind: 'text',
  text: '',
  template: '',
  variables: {},
  isLater: false,
  at: '',
  repeat: ONCE,
  device: '',
  line: '',
  priority: '0',
  guarantee: 'at_most_once',
  giveUp: '',
  isQuiet: null,
  needsConsent: false,
}

/** A new campaign with the content of a campaign, but without the campaign's time. */
export const copyCampaign = (campaign: Campaign): Composition => ({
  ...BLANK,
  isCampaign: true,
  name: campaign.name,
  recipients: campaign.recipients.map((phone) => ({ phone, name: '' })),
  groups: campaign.groups,
  filter: campaign.filter,
  // a line implies its device
  ...(campaign.line ? { line: campaign.line } : { device: campaign.device }),
  priority: String(campaign.priority),
  guarantee: campaign.guarantee || BLANK.guarantee,
  ...(campaign.repeat && { repeat: campaign.repeat }),
  ...(!campaign.quiet_hours && { isQuiet: false }),
  needsConsent: campaign.requires_consent,
  ...(campaign.template
    ? { kind: 'template', template: campaign.template, variables: campaign.variables ?? {} }
    : { text: campaign.body, variables: campaign.variables ?? {} }),
})

/** The filter that a composition is sent with: only a campaign has one. */
export const readFilter = ({ isCampaign, filter }: Composition): string =>
  isCampaign ? filter.trim() : ''

/** The body of `/api/sms/send`, `send-template` and `preview`, without default values. */
export type Request = Readonly<Record<string, unknown>>

export function makeRequest(composition: Composition, variables: readonly string[]): Request {
  const { isCampaign, name, guarantee, giveUp, isQuiet, repeat, needsConsent } = composition
  const filter = readFilter(composition)
  return {
    ...(isCampaign && { name: name.trim() }),
    ...(filter && { filter }),
    ...makeContent(composition, pickValues(composition, variables)),
    ...makeWay(composition),
    ...(giveUp && { ttl: Number(giveUp) }),
    ...(guarantee !== 'at_most_once' && { guarantee }),
    ...(isQuiet !== null && { quiet_hours: isQuiet }),
    ...(needsConsent && { requires_consent: true }),
    ...(repeat.cron && { repeat: makeRepeatRequest(repeat) }),
  }
}

const makeWay = ({ device, line, priority, isLater, at }: Composition): Request => ({
  ...(device && { device_id: device }),
  ...(line && { line_id: line }),
  ...(priority !== '0' && { priority: Number(priority) }),
  ...(isLater && parseLocalTime(at) && { scheduled_at: parseLocalTime(at) }),
})

/** The body of the preview request. Variables without a value stay in their braces. */
export const makePreview = (composition: Composition, variables: readonly string[]): Request => ({
  ...makeContent(composition, pickValues(composition, variables)),
  ...makeWay(composition),
  ...(composition.needsConsent && { requires_consent: true }),
  draft: true,
})

/** The values that the user typed: those of a template, or the defaults of a text. */
const pickValues = ({ variables: values }: Composition, variables: readonly string[]) =>
  Object.fromEntries(variables.flatMap((name) => (values[name] ? [[name, values[name]]] : [])))

export const isPersonalText = ({ kind, text }: Composition): boolean =>
  kind === 'template' || listVariables(text).length > 0

function makeContent(composition: Composition, values: Readonly<Record<string, string>>): Request {
  const { recipients, groups, kind, text, template } = composition
  return {
    recipients: recipients.filter(({ fault }) => !fault).map(({ phone }) => phone),
    ...(groups.length > 0 && { group_ids: groups }),
    ...(kind === 'template'
      ? { template_id: template, variables: values }
      : isPersonalText(composition)
        ? { body: addDefaults(text, values), variables: {} }
        : { body: text }),
  }
}

/** Adds recipients, except those already in the list. The result's `doubles` counts those left out. */
export function addRecipients(
  recipients: readonly Recipient[],
  more: readonly Recipient[],
): { recipients: readonly Recipient[]; doubles: number } {
  const all = new Map(recipients.map((recipient) => [recipient.phone, recipient]))
  for (const recipient of more) if (!all.has(recipient.phone)) all.set(recipient.phone, recipient)
  return { recipients: [...all.values()], doubles: recipients.length + more.length - all.size }
}

/** The answer of `POST /api/sms/preview`. */
export interface Preview {
  readonly body: string
  readonly segments: number
  readonly recipients_count: number
  readonly total_segments: number
  /** An estimate of when the last text leaves, by the limits of the lines; '' if all lines are off. */
  readonly last_leaves_at: string
  /** Null if no line of the account has prices. */
  readonly estimate: Estimate | null
  /** How many recipients have opted out and get nothing. */
  readonly opted_out: number
  /** How many recipients get nothing because the send requires consent that they have not given. */
  readonly without_consent: number
  /** The variables without a value and without a default for at least one recipient. */
  readonly missing?: readonly string[]
  readonly items: readonly {
    readonly to: string
    readonly body: string
    readonly segments: number
    readonly opted_out: boolean
    readonly without_consent: boolean
  }[]
}

/** How many of the recipients have no value for a variable, which their previewed texts still have then. */
export const countWithout = ({ items }: Pick<Preview, 'items'>, name: string): number =>
  items.filter(({ body }) => listVariables(body).some((open) => isSameName(open, name))).length

/** How many people really get the text. */
export const countReached = ({ recipients_count, opted_out, without_consent }: Preview): number =>
  recipients_count - opted_out - without_consent
