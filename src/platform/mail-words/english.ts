/** A sentence, or its forms by the count, as CLDR names them. */
export type Sentence = string | Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>

/** The sentences of all mails. `{name}` and the like are filled in; `{APP_NAME}` is of mail templates. */
export const ENGLISH_MAILS = {
  hello: 'Hello,',
  more: 'And {count} more.',
  // the templates of an auth collection, as PocketBase has them
  thanks: 'Thanks,',
  team: '{APP_NAME} team',
  verifySubject: 'Verify your {APP_NAME} email',
  verifyThanks: 'Thank you for joining us at {APP_NAME}.',
  verifyClick: 'Click on the button below to verify your email address.',
  verifyButton: 'Verify',
  verifyIgnore: "If you didn't recently register, please ignore this email.",
  resetSubject: 'Reset your {APP_NAME} password',
  resetClick: 'Click on the button below to reset your password.',
  resetButton: 'Reset password',
  resetIgnore: "If you didn't ask to reset your password, please ignore this email.",
  changeSubject: 'Confirm your {APP_NAME} new email address',
  changeClick: 'Click on the button below to confirm your new email address.',
  changeButton: 'Confirm new email',
  changeIgnore: "If you didn't ask to change your email address, please ignore this email.",
  otpSubject: 'OTP for {APP_NAME}',
  otpIs: 'Your one-time password is:',
  otpIgnore: "If you didn't ask for the one-time password, you can ignore this email.",
  signInSubject: 'Login from a new location',
  signInSeen: 'We noticed a login to your {APP_NAME} account from a new location:',
  signInChange:
    "If this wasn't you, you should immediately change your {APP_NAME} account password to revoke access from all other locations.",
  signInIgnore: 'If this was you, you may disregard this email.',
  // invitations to a team
  inviteSubject: '{name} invites you',
  inviteText: '{name} invites you to answer texts together.',
  inviteButton: 'Join the team',
  inviteLimits: {
    one: 'The link is good for one day and for one person. If you do not know {name}, ignore this mail.',
    other:
      'The link is good for {count} days and for one person. If you do not know {name}, ignore this mail.',
  },
  // texts without an answer
  waitsSubject: {
    one: '{name} waits for an answer',
    other: '{count} conversations wait for an answer',
  },
  waits: {
    one: 'A text waits for your answer ({zone}):',
    other: '{count} conversations wait for your answer ({zone}):',
  },
  waitsSince: '{link}, since {time}',
  waitsButton: 'Your conversations',
  waitsChosen: 'You chose these mails on the page {link}.',
  account: 'Account',
  // devices that need a hand: the parts of a subject
  isSilent: { one: '{name} is silent', other: '{count} devices are silent' },
  isFailing: { one: '{name} is failing', other: '{count} devices are failing' },
  isLow: { one: '{name} is low on battery', other: '{count} devices are low on battery' },
  isFaulty: { one: '{name} is unable to send', other: '{count} devices are unable to send' },
  isSpent: {
    one: '{name} is at the monthly budget',
    other: '{count} devices are at the monthly budget',
  },
  isBack: { one: '{name} is back', other: '{count} devices are back' },
  isRefused: {
    one: '{name} is refused at another address',
    other: '{count} devices are refused at another address',
  },
  isStopped: {
    one: '{name} is sending no codes to {country}',
    other: '{count} devices are sending no codes to {country}',
  },
  // and the text about each of them
  silent: '{name} has been silent since {time}.',
  failing:
    '{name} has been failing since {time}: at least 5 texts in a row were not sent. Others send instead, if there are any. Look at its SIM, its credit and its permission to send.',
  low: '{name} has {percent} % of battery left and is not charging. Plug it in.',
  faulty:
    '{name} sends no texts. {fault}. Look at its settings, and at your account there: credentials, credit, senders.',
  spent:
    '{name} has reached its monthly budget of {budget}: a text did not fit any more. Texts use other lines or wait for the next month. If you want to send more, raise the budget.',
  back: '{name} is back since {time}. It was silent from {from} on.',
  stopped:
    '{name} sends no codes to numbers that begin with {country} any more: too few of the last ones were entered, as when somebody has codes sent for money. If all is well, take the country out of what is stopped there.',
  refused: '{name} was used at {address}, which its list of addresses excludes: it was refused.',
  refusedDevice: 'If that was not you, delete the device, and pair the phone again.',
  refusedMember: 'If that was not you, end the sessions of this member, or remove the member.',
  refusedKey: 'If that was not you, make a new secret for it.',
  refusedElse:
    'If it was, add the address to its list. Your audit log has further attempts; a mail is sent at most once an hour.',
  waiting: { one: '1 message waits for it', other: '{count} messages wait for it' },
  moved: {
    one: '1 was handed to other devices',
    other: '{count} were handed to other devices',
  },
  noneWaiting: 'No messages wait for it.',
  look: 'Look whether it is switched on, has a network, and runs its app or agent.',
  devicesButton: 'Your devices',
  someDevice: 'A device',
  someKey: 'A key',
  // to superusers
  backupSubject: '[{app}] The scheduled backup failed',
  backupText: 'The scheduled backup of {app} failed:',
  backupPage: 'The console’s page Backups shows what is there.',
} as const satisfies Readonly<Record<string, Sentence>>

export type MailWord = keyof typeof ENGLISH_MAILS
export type MailWords = Readonly<Record<MailWord, Sentence>>
