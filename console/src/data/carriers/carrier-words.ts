import { t } from '../../language/words.ts'

interface CarrierWords {
  readonly name: string
  /** One sentence about the carrier. */
  readonly note: string
  /** Where a person finds the credentials. */
  readonly where?: string
  /** How the carrier's delivery reports, and how its incoming texts reach this server. */
  readonly reports?: string
  readonly incoming?: string
}

const BY_ITSELF = t('You need to do nothing: each text tells the carrier this address.')

/** Words about carriers, by their preset. */
const WORDS: Readonly<Record<string, CarrierWords>> = {
  pocketsms: {
    name: 'pocketsms',
    note: t('Another pocketsms, such as that of a branch or a friend, sends by its own phones.'),
    where: t('Create an API key in the other account, under API keys.'),
    reports: t(
      'In the other account, open Outgoing webhooks and create one with this address and the events Delivered, Failed and Received. Then enter its secret below.',
    ),
    incoming: t('The same webhook sends them.'),
  },
  twilio: {
    name: 'Twilio',
    note: t('If Twilio’s answer gets lost, the text is marked “outcome unknown” and not repeated.'),
    where: t('Both are on the first page of Twilio’s console, under Account Info.'),
    reports: BY_ITSELF,
    incoming: t(
      'Open each number at Twilio, and enter this address at “A message comes in”, with HTTP POST.',
    ),
  },
  telnyx: {
    name: 'Telnyx',
    note: t('Your numbers need a messaging profile there.'),
    where: t('Both are under Keys & Credentials in Telnyx’s portal. The key is one of API v2.'),
    reports: BY_ITSELF,
    incoming: t('Enter this address as the webhook of your messaging profile, with API version 2.'),
  },
  vonage: {
    name: 'Vonage',
    note: t('By its Messages API. Choose this API for SMS in the settings of the account.'),
    where: t('Key and secret are in the API settings of Vonage’s dashboard.'),
    reports: BY_ITSELF,
    incoming: t('Enter this address as the inbound URL, and choose signed webhooks.'),
  },
  plivo: {
    name: 'Plivo',
    note: t('The carrier does not sign all of a call: keep the address secret.'),
    where: t('Both are on the first page of Plivo’s console.'),
    reports: BY_ITSELF,
    incoming: t('Enter this address as the message URL of your application, with POST.'),
  },
  messagebird: {
    name: 'MessageBird',
    note: t('By its REST API. It is now called Bird.'),
    where: t('Both are under Developers in its dashboard.'),
    reports: BY_ITSELF,
    incoming: t(
      'Make a flow for your number that posts id, originator, recipient and body to this address.',
    ),
  },
  sinch: {
    name: 'Sinch',
    note: t(
      'The usual address is that of the US. For another region, enter its address under More.',
    ),
    where: t('Turn on HMAC for the callbacks of the service plan: unsigned calls are refused.'),
    reports: BY_ITSELF,
    incoming: t('Enter this address as the callback URL of the service plan.'),
  },
  infobip: {
    name: 'Infobip',
    note: t(
      'Every account has its own address. The carrier does not sign its calls: keep the address secret.',
    ),
    reports: BY_ITSELF,
    incoming: t('Forward your number to this address by HTTP.'),
  },
  seven: {
    name: 'seven',
    note: t('Formerly sms77. Without a reference in its delivery reports, texts stay sent.'),
    reports: t('Create a webhook for dlr with this address, as JSON by POST.'),
    incoming: t('Create a webhook for sms_mo with this address, as JSON by POST.'),
  },
  gatewayapi: {
    name: 'GatewayAPI',
    note: t('All texts need a sender. For an account in the EU, enter its address under More.'),
    reports: t('Create a webhook with this address for message statuses and incoming texts.'),
    incoming: t('The same webhook sends them.'),
  },
  clickatell: {
    name: 'Clickatell',
    note: t('By its One API. The carrier does not sign its calls: keep the address secret.'),
    reports: t('Enter this address as the URL of status updates of the integration.'),
    incoming: t('Enter this address as the URL of replies of the integration.'),
  },
  custom: {
    name: t('Another carrier'),
    note: t(
      'Describe its HTTP interface in a form. You see the request before anything is stored.',
    ),
    reports: t(
      'Let the request name the address by {{callback}}, or enter it at the carrier as the address of delivery reports.',
    ),
    incoming: t('Enter this address at the carrier as the address of incoming texts.'),
  },
}

/** Words about a carrier. A preset without words here gets its name and general words. */
export function findCarrierWords(preset: string): Required<CarrierWords> {
  const known = WORDS[preset] ?? {
    name: preset.charAt(0).toUpperCase() + preset.slice(1),
    note: '',
  }
  return {
    where: '',
    reports: t('Enter this address at the carrier as the address of delivery reports.'),
    incoming: t('Enter this address at the carrier as the address of incoming texts.'),
    ...known,
  }
}
