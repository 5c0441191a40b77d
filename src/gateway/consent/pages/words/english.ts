/**
 * The words of the public pages in one language. `{account}`, `{group}`: names; `{stop}`,
 * `{start}`, `{help}`: the words for replies.
 */
export const ENGLISH = {
  heading: 'Texts of {group}',
  sender: 'From {account}',
  country: 'Country',
  number: 'Mobile number',
  consent: 'I want to get texts of {group} from {account}.',
  terms:
    'Message and data rates may apply. You can end the texts at any time: reply {stop} to one of them. Reply {help} for help.',
  join: 'Get texts',
  asked: 'Look at your phone',
  askedReply: 'We texted {number}. Reply YES to that text within two days, and you get the texts.',
  askedCode: 'We texted a code to {number}. Enter it here, and you get the texts.',
  noText:
    'No text arrived? Check the number. A number that gets these texts already, or has texted {stop}, gets no text here. After {stop}, text {start} first.',
  code: 'Code from the text',
  confirm: 'Confirm',
  again: 'Begin again',
  joined: 'You now get the texts',
  joinedText:
    '{number} gets texts of {group} from {account}. Reply {stop} to one of them to end them.',
  leave: 'End texts',
  leaveText: 'Do you want no more texts from {account} at {number}? Press the button to end them.',
  unnamed: 'this sender',
  leaveAll: 'End all texts',
  leaveGroup: 'End only texts of {group}',
  left: 'The texts are ended',
  leftAll:
    '{number} gets no more texts from {account}. To get them again, reply {start} to one of them.',
  leftGroup: '{number} gets no more texts of {group} from {account}.',
  missing: 'This page does not exist',
  missingText: 'The address is wrong, or the sender has closed the page.',
  failed: 'That did not work',
  mustAgree: 'Check the box to get texts.',
  badNumber: 'This is no phone number. Choose the country, and write all digits.',
  changed: 'The text of this page has changed. Read it again, then check the box.',
  otherSite: 'The form was sent from another site. Use the form on this page.',
  destination: 'We send no texts to this number.',
  tooMany: 'Too many texts were asked for. Try again later.',
  tooSoon: 'We texted this number just now. Wait a minute, then try again.',
  signedIn:
    'You are signed in to the console in this browser. Only the person who got the text ends texts by this link. Opt the contact out in the console instead.',
  noLine: 'We cannot send a text at the moment. Try again later.',
  wrongCode: 'This code is wrong, or it has expired. Look at the text again, or begin again.',
  other: 'The server cannot answer at the moment. Try again later.',
}

export type PageWord = keyof typeof ENGLISH
/** The words of the public pages in another language. */
export type PageWords = Readonly<Record<PageWord, string>>
