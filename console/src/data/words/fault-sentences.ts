import { t } from '../../language/words.ts'
import type { Choices } from '../choices.ts'

export const NO_MAIL_SERVER = t(
  'This server has no mail server, so it sends no mail. A superuser sets one on the page Settings.',
)

/** Frequent messages of the server, and what to show instead. `$1` is the pattern's first group. */
const SENTENCES: Choices<RegExp> = [
  [
    /^The database cannot be reached/,
    t('The server cannot reach its database at the moment. Try again soon.'),
  ],
  [
    /^The disk of the database is full/,
    t('The disk of the server is full, so nothing can be stored. A superuser must make room.'),
  ],
  [/^cannot be blank\.$/i, t('Fill this in.')],
  [/^Value must be unique\.$/, t('Is already in use.')],
  [/^Must be at least (\d+) character\(s\)\.$/, t('Use at least $1 character(s).')],
  [/^Must be (?:no more|less) than (\d+) character\(s\)\.$/, t('Use at most $1 character(s).')],
  [/^The length must be between (\d+) and (\d+)\.$/, t('Use $1 to $2 characters.')],
  [/^The length must be no more than (\d+)\.$/, t('Use at most $1 character(s).')],
  [/^Must be (?:no less than|greater or equal than) (-?[\d.]+?)\.?$/, t('Use $1 or more.')],
  [/^Must be (?:no greater than|less or equal than) (-?[\d.]+?)\.?$/, t('Use $1 or less.')],
  [/^Decimal numbers are not allowed\.$/, t('Use a whole number.')],
  [/^Must be a valid email address\.$/, t('Write an address such as ann@example.com.')],
  [/^Must be a valid url\.$/i, t('Write an address such as https://example.com.')],
  [
    /^Must begin with https:/,
    t(
      'Begin the address with https://. The setting WEBHOOK_ALLOW_PRIVATE of the server allows http://.',
    ),
  ],
  [
    /^Must not be a private address/,
    t(
      'Write a public address. The setting WEBHOOK_ALLOW_PRIVATE of the server allows private addresses.',
    ),
  ],
  [/^Values don.t match\.$/i, t('The two are not the same.')],
  [
    /^(?:Must be a valid value|Invalid value(?: format)?|Must be in a valid format)\.$/,
    t('This is not possible here.'),
  ],
  [/^A text or a template is needed\.$/, t('Write a text, or choose a template.')],
  [
    /^This account requires a second factor/,
    t('This account requires a second factor, and you have none. Set one up on the page Account.'),
  ],
  [/^Monthly message quota exceeded$/, t('Your quota of this month is used up.')],
  [
    /^The account or the API key may not send to/,
    t('Nothing may be sent to this number: see “Sends only to”.'),
  ],
  [
    /^recipients have given no consent/,
    t('None of these people has agreed to get texts. Record their consents first.'),
  ],
  [
    /^recipients and group_ids name nobody/,
    t('It has no recipients any more: its groups were deleted.'),
  ],
  [/^group_ids has no member/, t('Nobody in these groups can get it.')],
  [/^recipients have all opted out$/, t('All of these people have opted out.')],
  [
    /^(\d+) recipients have opted out or/,
    t('$1 of these people would get nothing: leave them out.'),
  ],
  [/^a text would be empty/, t('One text would be empty: write a default, as in {{name|there}}.')],
  [/^No devices available to send messages$/, t('None of your devices is online.')],
  [
    /^Message can no longer be canceled$/,
    t('It is too late to cancel: a device has the message already.'),
  ],
  [/^Only a message that waits for/, t('It is too late to change it: it is due, or was canceled.')],
  [
    /^The campaign has begun:/,
    t('The campaign has begun: its time and recipients can no longer be changed.'),
  ],
  [/^At most (\d+) recipients per request$/, t('Send to at most $1 people at once.')],
  [
    /^repeat\.cron must be five fields/,
    t(
      'Write five fields of numbers, such as 30 8 * * 1 for Mondays at 8:30. The day can also be L, the last one of the month.',
    ),
  ],
  [/^repeat\.cron must leave/, t('Leave at least 5 minutes between two times.')],
  [/^repeat\.cron (?:names|is req)/, t('This time never comes.')],
  [/^repeat is for at most (\d+)/, t('An account has at most $1 campaigns that repeat.')],
  [/^A name has none of \{/, t('Leave out braces and the sign |: templates use them.')],
  [/^There is a field with this name\.$/, t('There is a field with this name.')],
  [/^The field (.+) had this name before\.$/, t('The field $1 had this name before.')],
  [
    /^Each contact has this already:/,
    t('Each contact has a field of this name already: choose another name.'),
  ],
  [/^Each value must occur once\.$/, t('Each value must occur once.')],
  [/^A choice needs at least one value\.$/, t('A choice needs at least one value.')],
  [/^A choice has at most (\d+) values\.$/, t('A choice has at most $1 values.')],
  [/^A value has at most (\d+) characters\.$/, t('A value has at most $1 characters.')],
  [/^An account has at most (\d+) fields\.$/, t('An account has at most $1 fields.')],
  [/^Template not found\.$/, t('The template does not exist any more.')],
  [/^Contact group not found$/, t('The group does not exist any more.')],
  [/^Missing variable: (.+)\.$/, t('A value for $1 is missing.')],
  [/^(?:Missing or invalid old|This is not your) password\b/, t('This is not your password.')],
  [
    /^This code is wrong or was used\./,
    t('This code is wrong or was used. Enter the one that your app shows now.'),
  ],
  [/^This recovery code is wrong or/, t('This recovery code is wrong or was used.')],
  [/^Too many codes were tried\./, t('Too many codes were tried. Try again in an hour.')],
  [
    /^Invalid (?:or expired )?MFA session\.$/,
    t('This sign-in is no longer valid. Go back and sign in again.'),
  ],
  // the three of the SDK during a sign-in by a provider
  [
    /^OAuth2 redirect error .*: access_denied$/,
    t('The provider has not signed you in: it was canceled or refused there.'),
  ],
  [
    /^(?:Failed to authenticate\.|OAuth2 redirect error |State parameters don't match|realtime connection interrupted)/,
    t('You could not be signed in. Try again.'),
  ],
  [/^You have an authenticator app already\.$/, t('You have an authenticator app already.')],
  [
    /^(?:Your password, email or second factor has changed meanwhile|No app is being set up)/,
    t('This took too long, or your sign-in has changed since. Begin again.'),
  ],
  [
    /^Your sign-in has a second factor: enter a code/,
    t('Your sign-in has a second factor: enter a code of your app, or a recovery code.'),
  ],
  [
    /^Your sign-in needs a second proof\. Sign in,/,
    t('Your sign-in needs a second factor. Sign in, and open the link again.'),
  ],
  [
    /^Enter your password, or keep a link/,
    t('Enter your password, or keep an account at a provider.'),
  ],
  [
    /^A second factor is for people who/,
    t('A second factor is for people who sign in with a password.'),
  ],
  [
    /^Set up a second factor of your own first/,
    t('Set up a second factor of your own first, on the page Account.'),
  ],
  [/^This passkey was refused\./, t('This passkey was refused. Try again.')],
  [/^This passkey is known already\.$/, t('This passkey is known already.')],
  [/^Invalid or expired token\.$/, t('This link has expired or was used.')],
  [/^Failed to (?:create|update) record\.$/, t('It could not be saved.')],
  [/^Failed to delete record\b/, t('It could not be deleted: something else needs it.')],
  [/^The requested resource wasn't found\.$/, t('This does not exist any more.')],
  [
    /^The invitation is invalid, has expired or was used\.$/,
    t('This invitation has expired, was used, or was revoked.'),
  ],
  [
    /^You cannot accept an invitation to your own/,
    t('This is the account that invites: you are in already.'),
  ],
  [/^You are a member already\.$/, t('You are a member of this team already.')],
  [
    /^The mail could not be sent\. Make a link instead\.$/,
    t('The mail could not be sent. Leave the address empty for a link.'),
  ],
  [/^The body has no (.+)\.$/, t('The body has no $1.')],
  [
    /^The hook has no recipients\.$/,
    t('Nobody gets the texts yet: enter numbers or choose groups.'),
  ],
  [/^The hook has no template\.$/, t('Write a template that says what the text is.')],
  [
    /^The hook has sent as many codes/,
    t('The incoming webhook has reached its limit of codes per hour.'),
  ],
  [/^The hook is off\.$/, t('The incoming webhook is off.')],
  [/^The signature of the body is/, t('The signature of the body is missing, wrong or too old.')],
  [/^Your role does not allow this\.$/, t('Your role does not allow this.')],
  [/^You are not allowed to perform this request\.$/, t('You are not allowed to do this.')],
  [
    /^Something went wrong(?: while processing your request)?\.$/,
    t('Something went wrong. Try again.'),
  ],
  [/^Too Many Requests\.$/, t('These were too many requests. Wait a moment and try again.')],
]

/** The sentence that replaces a message; undefined for an unlisted one. */
export function findSentence(message: string): string | undefined {
  for (const [said, words] of SENTENCES) {
    const found = said.exec(message)
    if (found)
      return pluralizeNouns(words.replace(/\$(\d)/g, (_, group) => found[Number(group)] ?? ''))
  }
  return undefined
}

/** Rewrites a message of the server for people. An unlisted message becomes a sentence. */
export const translateFault = (message: string): string =>
  findSentence(message) ?? findConnectionFault(message) ?? pluralizeNouns(toSentence(message))

/** The server's messages for programs begin with a small letter and have no full stop. */
const toSentence = (message: string) =>
  /^[a-z]+ /.test(message)
    ? message.charAt(0).toUpperCase() + message.slice(1).replace(/[^.!?:]$/, '$&.')
    : message

/** Replaces `8 character(s)` by `8 characters`. */
const pluralizeNouns = (message: string) =>
  message.replace(
    /\b(\d+) (\w+)\(s\)/g,
    (_, count, noun) => `${count} ${noun}${count === '1' ? '' : 's'}`,
  )

/** Node's messages for failed connections, in words for people. */
const FAULTS: Choices<RegExp> = [
  [/no SMTP server in its settings/, NO_MAIL_SERVER],
  [/ECONNREFUSED/, t('Nothing answers at this address and port. Is the program running?')],
  [
    /ENOTFOUND|EAI_AGAIN/,
    t('There is no server of this name. Check the address for typing errors.'),
  ],
  [/ETIMEDOUT|TimeoutError|timed? ?out/i, t('There was no answer in time.')],
  [/ECONNRESET|EPIPE|socket hang up/, t('The connection was closed before an answer came.')],
  [/EHOSTUNREACH|ENETUNREACH/, t('The network has no way to this address.')],
  [/CERT_HAS_EXPIRED/, t('The certificate of the server has expired.')],
  [/self.signed|UNABLE_TO_VERIFY|CERT_/i, t('The certificate of the server is not trusted.')],
]

/** A message about a failed connection in words for people; undefined for any other message. */
export const findConnectionFault = (message: string): string | undefined =>
  FAULTS.find(([pattern]) => pattern.test(message))?.[1]
