/** A text that a phone sends when its owner reacts to a text. */
export interface Reaction {
  /** The text that it quotes; '' for a picture. It may end with `…`. */
  readonly quote: string
  /** False if only the quote shows whether it is one: it has the shape, in a language that is not listed. */
  readonly isKnown: boolean
}

// Words of iPhones before and after the quote, in the languages whose words are known
const VERBS = [
  'loved|liked|disliked|laughed at|emphasi[sz]ed|questioned|reacted with a sticker to',
  'removed an? (?:heart|like|dislike|laugh|exclamation|question mark|sticker) from',
  '(?:no )?le gustó|le encantó|le dio risa|exclamó por|dudó sobre|se rió de|enfatizó|destacó',
  "a adoré|a aimé|n['’]a pas aimé|a ri de|a mis en évidence|a souligné|a posé une question sur",
  "a attribué la mention|a ajouté un|a retiré un (?:cœur|j['’]aime) de",
  'pokochał|polubił|znielubił|zaśmiał się z|podkreślił|zakwestionował|usunął \\p{L}+(?: zapytania)? z',
  '(?:очень |не )?понравилось|посмеялись над|отмечено|поставлен вопрос на',
  '(?:ne)?líb(?:í|ilo) se|milovaný|smál se|zdůrazněno|otázka|odstraněno srdce z',
  'szívecske erre:|(?:nem )?kedveli:|nevetett rajta:|kiemelte:|kérdezte:',
].join('|')
const ADDED =
  'reacted|removed|a réagi avec|a retiré|reaccionó con|zareagował|usunął|реакция|reagoval|odstraněno|entfernte'
const MEDIA =
  '(?:an?|una?|une) (?:image|photo|picture|video|movie|attachment|contact|location|link|sticker|audio message|imagen|foto)'
const SIGN = '[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\p{Regional_Indicator}]+'

/** A quote with a few words around it. No text makes it slow: the words contain no marks of quotes. */
const makeQuotePattern = (marks: string) =>
  new RegExp(`^([^${marks}]{0,60})[${marks}](.+?)[${marks}]([^${marks}]{0,40})$`, 'su')
const QUOTED = [makeQuotePattern('"“”„«»‟「」'), makeQuotePattern("'‘’‚‹›")]
const AROUND = new RegExp(
  `^(?:(?:${VERBS}|(?:(?:${ADDED}) )?${SIGN}(?: \\p{L}+){1,3}:?)…|gefällt…(?:nicht)?|…ein \\p{L}+ hinzugefügt)$`,
  'iu',
)
const PICTURE = new RegExp(
  `^(?:(?:${VERBS}|(?:${ADDED}) ${SIGN} \\p{L}+) ${MEDIA}|a réagi avec ${SIGN})$`,
  'iu',
)
/** Words around the quote in an unlisted language, at most. */
const SHORT = /^[^.!?]{2,40}$/u

/** Whether a text is a reaction of a phone: see `Reaction`. */
export function readReaction(body: string): Reaction | undefined {
  // Google's Messages puts invisible marks and hair spaces around sign and quote
  const text = body
    .replace(/\p{Cf}|\ufe0f/gu, '')
    .replace(/\s+/gu, ' ')
    .trim()
  if (PICTURE.test(text)) return { quote: '', isKnown: true }
  const found = QUOTED.map((quoted) => quoted.exec(text)).find((one) => one !== null)
  if (!found) return undefined
  const [before, quote, after] = found.slice(1).map((part) => part.trim()) as [
    string,
    string,
    string,
  ]
  const around = `${before}…${after}`
  if (AROUND.test(around)) return { quote, isKnown: true }
  return SHORT.test(around) ? { quote, isKnown: false } : undefined
}
