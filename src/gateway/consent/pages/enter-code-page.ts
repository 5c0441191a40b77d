import { renderJoinError } from './join-form.ts'
import type { JoinPage } from './join-page.ts'
import { escapeText, type Html, type HtmlPage, html, renderHtmlPage } from './page-html.ts'
import { fillPageWords, type PageWord } from './page-words.ts'

/** The page after a number was asked to confirm, by a reply or by the code that it got. */
export function renderAskedPage(
  { language, names, look, confirmsBy }: JoinPage,
  number: string,
  fault?: PageWord,
): HtmlPage {
  const say = (word: PageWord) => escapeText(fillPageWords(language, word, names, number))
  const body =
    confirmsBy === 'code'
      ? html`<p>${say('askedCode')}</p>
${renderJoinError(language, fault)}
<form method="post" accept-charset="utf-8">
<input type="hidden" name="to" value="${escapeText(number)}">
<label for="code">${say('code')}</label>
<input id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" required maxlength="200">
<button>${say('confirm')}</button>
</form>`
      : html`<p>${say('askedReply')}</p>`
  return renderHtmlPage(
    language,
    fillPageWords(language, 'asked'),
    html`${body}
<p class="muted">${say('noText')}</p>
${renderStartOver(say('again'))}`,
    look,
    names.account,
  )
}

/** A link to the empty form: the address of the page itself. */
const renderStartOver = (words: Html) => html`<p><a href="">${words}</a></p>`

export const renderJoinedPage = ({ language, names, look }: JoinPage, number: string): HtmlPage =>
  renderHtmlPage(
    language,
    fillPageWords(language, 'joined'),
    html`<p>${escapeText(fillPageWords(language, 'joinedText', names, number))}</p>`,
    look,
    names.account,
  )
