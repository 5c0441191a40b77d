import { createHash } from 'node:crypto'
import { escapeHtml } from '../../../engine/auth/mail-html.ts'
import type { Language } from '../../../portable/languages.ts'
import type { AccountLook } from '../../base/account-look.ts'

const STYLE = `
:root { color-scheme: light dark }
body { margin: 0; background: light-dark(#f6f7f9, #0f1115); color: light-dark(#171b23, #e7e9ee);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
main { box-sizing: border-box; max-width: 32rem; margin: 0 auto; padding: 1.5rem 1rem }
h1 { margin: 0; font-size: 1.5rem; line-height: 1.25 }
p { margin: 0.75rem 0; white-space: pre-line }
a { color: light-dark(#4338ca, #a5a8ff) }
.muted { color: light-dark(#566072, #9ea7b8) }
.fault { padding: 0.75rem; border-radius: 0.5rem; background: light-dark(#fdebec, #3d1d22);
  color: light-dark(#b3202c, #ff9d9d) }
label { display: block; margin-top: 1rem; font-weight: 600 }
select, input[type=tel], input[type=text] { box-sizing: border-box; width: 100%; min-height: 2.75rem;
  margin-top: 0.25rem; padding: 0.5rem; border: 1px solid light-dark(#6b7484, #8b93a3); border-radius: 0.5rem;
  background: light-dark(#ffffff, #171a20); color: inherit; font: inherit }
.box { display: flex; gap: 0.75rem; align-items: flex-start; font-weight: 400 }
.box input { flex: none; width: 1.5rem; height: 1.5rem; margin: 0 }
button { width: 100%; min-height: 2.75rem; margin-top: 1rem; padding: 0.5rem 1rem; border: 0; border-radius: 0.5rem;
  background: light-dark(#4f46e5, #5b54e8); color: #ffffff; font: inherit; font-weight: 600 }
.logo { display: block; max-width: 100%; max-height: 4rem; margin-bottom: 1rem; padding: 0.5rem;
  border-radius: 0.5rem; background: #ffffff }
:focus-visible { outline: 3px solid light-dark(#4338ca, #a5a8ff); outline-offset: 2px }
`

/** The source of a style for the policy of a page. */
const hashStyle = (style: string) =>
  `'sha256-${createHash('sha256').update(style).digest('base64')}'`

const STYLE_HASH = hashStyle(STYLE)

/**
 * Headers of the pages: no scripts, no files but a logo of this server, forms to this server only, no frames.
 * Browsers name this server as the origin of the forms, and send other sites no referrer: the address
 * of a page may be a secret.
 */
const makePageHeaders = (ownStyle: string, hasLogo: boolean): Readonly<Record<string, string>> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src ${STYLE_HASH}${ownStyle && ` ${hashStyle(ownStyle)}`}`,
    ...(hasLogo ? ["img-src 'self'"] : []),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'same-origin',
  'x-robots-tag': 'noindex',
  'cache-control': 'no-store',
})

/** A page with its headers, whose policy names its styles. */
export interface HtmlPage {
  readonly content: string
  readonly headers: Readonly<Record<string, string>>
}

/** HTML that a page may contain. Only this file makes it of texts, and escapes them. */
export type Html = string & { readonly isHtml: never }

const toHtml = (text: string) => text as Html

export const escapeText = (words: string): Html => toHtml(escapeHtml(words))

/** Fills texts into HTML. Escapes them, unless they are `Html`; lists are joined. */
export const html = (
  parts: TemplateStringsArray,
  ...values: readonly (Html | readonly Html[])[]
): Html =>
  toHtml(
    String.raw(
      { raw: parts },
      ...values.map((value) => (typeof value === 'string' ? value : value.join(''))),
    ),
  )

export const NOTHING = toHtml('')

/** An address in a text: only http and https become links. Punctuation after it is not of the address. */
const ADDRESS = /(https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]}])/i

/** A text of an account, with links for its addresses. Line breaks stay. */
export function linkAddresses(words: string): Html {
  const parts = words.split(ADDRESS)
  return toHtml(
    parts.map((part, i) => (i % 2 === 1 ? renderLink(part) : escapeHtml(part))).join(''),
  )
}

const renderLink = (address: string) =>
  `<a href="${escapeHtml(address)}" rel="nofollow noopener noreferrer">${escapeHtml(address)}</a>`

/** The look of a page whose account is not known. */
const USUAL: AccountLook = { logo: '', color: undefined }

/** The colour of the account for buttons. Its logo has a white ground, as it may be dark. */
const writeOwnStyle = ({ color }: AccountLook) =>
  color ? `button { background: ${color.fill}; color: ${color.ink} }` : ''

/** A whole page. `account`: the name of the account, for those who do not see its logo. */
export function renderHtmlPage(
  language: Language,
  title: string,
  body: Html,
  look = USUAL,
  account = '',
): HtmlPage {
  const ownStyle = writeOwnStyle(look)
  // pages are one folder below the server's address, which may have a path
  const logo =
    look.logo &&
    `<img class="logo" src="..${escapeHtml(look.logo)}" alt="${escapeHtml(account)}">\n`
  const content = `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>${ownStyle && `\n<style>${ownStyle}</style>`}
</head>
<body>
<main>
${logo}<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`
  return { content, headers: makePageHeaders(ownStyle, look.logo !== '') }
}
