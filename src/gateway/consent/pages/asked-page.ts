import { type Html, html, page, text } from './html.ts'
import { faultOf } from './join-form.ts'
import type { JoinPage } from './join-page.ts'
import { type PageWord, pageWords } from './page-words.ts'

/** The page after a number was asked to confirm, by a reply or by the code that it got. */
export function askedPage(
  { language, names, confirmsBy }: JoinPage,
  number: string,
  fault?: PageWord,
): string {
  const say = (word: PageWord) => text(pageWords(language, word, names, number))
  const body =
    confirmsBy === 'code'
      ? html`<p>${say('askedCode')}</p>
${faultOf(language, fault)}
<form method="post" accept-charset="utf-8">
<input type="hidden" name="to" value="${text(number)}">
<label for="code">${say('code')}</label>
<input id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" required maxlength="200">
<button>${say('confirm')}</button>
</form>`
      : html`<p>${say('askedReply')}</p>`
  return page(
    language,
    pageWords(language, 'asked'),
    html`${body}
<p class="muted">${say('noText')}</p>
${beginAgain(say('again'))}`,
  )
}

/** A link to the empty form: the address of the page itself. */
const beginAgain = (words: Html) => html`<p><a href="">${words}</a></p>`

/** The page after a code was right. */
export const joinedPage = ({ language, names }: JoinPage, number: string): string =>
  page(
    language,
    pageWords(language, 'joined'),
    html`<p>${text(pageWords(language, 'joinedText', names, number))}</p>`,
  )
