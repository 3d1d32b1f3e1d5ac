import { describe, expect, it } from 'vitest'
import { inboundHtml } from '#mail/inbound-html.ts'
import { cpuMilliseconds } from '#test/support/cpu-time.ts'
import fc from '#test/support/properties.ts'

/** Anybody can write the HTML of received mail, and an office with a duty of confidentiality reads it (I3). */
const clean = (html: string, text = 'Der Text.') => inboundHtml({ html, text })
const pixel = 'data:image/png;base64,iVBORw0KGgo='
const mebibyte = 1024 * 1024

describe('the HTML of a received mail', () => {
  it.each([
    ['a script', 'a<script>alert(1)</script>b', 'ab'],
    ['an event handler', '<p onclick=x()>a</p><img src=cid:a onerror=x()>', '<p>a</p><img src="cid:a" />'],
    ['a javascript: link', '<a href="java\nscript:x()">a</a>', '<a>a</a>'],
    ['a form', '<form action="https://x.example"><input name=p><button>Los</button></form>', 'Los'],
    ['a frame', '<iframe src="https://x.example"></iframe><object data=x></object><embed src=x>a', 'a'],
    ['a tracking pixel', '<img src="https://x.example/p.gif?id=1" width=1 height=1>a', '<span></span>a'],
    ['a remote picture', '<img src="//x.example/a.png" alt="Logo">', '<span>Logo</span>'],
    ['a picture without its scheme', '<img src="/a.png" alt="Logo">', '<span>Logo</span>'],
    ['a picture of a file', '<img src="file:///c:/akte.png">a', '<span></span>a'],
    [
      'srcset',
      '<picture><source srcset="https://x.example/a"><img src="cid:a" srcset="https://x.example/a 2x"></picture>',
      '<img src="cid:a" />',
    ],
    [
      'background=',
      '<table background="https://x.example/a"><tr><td background=x>a</td></tr></table>',
      '<table><tr><td>a</td></tr></table>',
    ],
    [
      'other attributes that fetch',
      '<p lowsrc=x dynsrc=x longdesc=x cite=x>a</p><video poster=x src=x>b</video><audio src=x></audio>c',
      '<p>a</p>c',
    ],
    ['base', '<base href="https://x.example/"><img src="a.png"><a href="b">c</a>', '<span></span><a>c</a>'],
    ['refresh', '<meta http-equiv="refresh" content="0;url=https://x.example">a', 'a'],
    [
      'links to style sheets and fonts',
      '<link rel=stylesheet href="https://x.example/a.css"><link rel=prefetch href=x>a',
      'a',
    ],
    [
      'a style sheet',
      '<style>@import url(https://x.example/a.css);p{background:url(x)}</style><p>a</p>',
      '<p>a</p>',
    ],
    ['a style sheet that never ends', '<p>a</p><style>p{color:red}', '<p>a</p>'],
    [
      'url() in a style',
      '<p style="color:red;background:url(https://x.example/a)">a</p>',
      '<p style="color:red">a</p>',
    ],
    [
      'url() in escapes',
      String.raw`<p style="background:\75rl(x);background:u\72l(x);list-style:image-set('x')">a</p>`,
      '<p>a</p>',
    ],
    [
      'a block that covers the page',
      '<div style="position:fixed;top:0;width:100%">a</div>',
      '<div style="width:100%">a</div>',
    ],
    ['SVG', '<svg onload=x()><image href="https://x.example/a"/><script>x()</script></svg>a', 'a'],
    ['SVG as a picture', '<img src="data:image/svg+xml;base64,PHN2Zz4=">a', '<span></span>a'],
    [
      'comments of Outlook',
      '<!--[if mso]><v:fill src="https://x.example/a"/><![endif]--><![if !mso]>a<![endif]>',
      'a',
    ],
    ['pictures of Outlook', '<v:shape><v:imagedata src="https://x.example/a"/></v:shape>a', 'a'],
    ['MathML', '<math><maction xlink:href="javascript:x()">a</maction></math>b', 'b'],
    ['a tag in pieces', '<scr<script></script>ipt>x()</script>a', expect.not.stringMatching(/<script/i)],
  ])('is shown without %s', async (_, html, shown) => {
    expect(await clean(html)).toEqual(shown)
  })

  it.each([
    ['<img src="cid:logo@b.example" alt="Logo">', '<img alt="Logo" src="cid:logo@b.example" />'],
    ['<img src=" CID:logo%40b.example ">', '<img src="cid:logo@b.example" />'],
    ['<img src="cid:100%">', '<img src="cid:100%" />'],
    ['<img src="cid:a%22%3E%3Cscript">', '<span></span>'],
    ['<img src="cid:">', '<span></span>'],
    [`<img src="${pixel}">`, `<img src="${pixel}" />`],
  ])('names pictures of the mail itself: %s', async (html, shown) => {
    expect(await clean(html)).toBe(shown)
  })

  it('keeps what people write', async () => {
    const html =
      '<div><p style="margin:0 0 1em 36pt">Größe &amp; <b>mehr</b></p><table><tbody><tr><td>1</td></tr></tbody></table>' +
      '<ul><li>x</li></ul><blockquote type="cite">Alt</blockquote><a href="https://b.example/?a=1&amp;b=2">l</a></div>'

    expect(await clean(html)).toBe(html)
  })

  it('keeps half a mebibyte of data: pictures, and the alternative text of the others', async () => {
    const large = `<img src="data:image/png;base64,${'A'.repeat(400 * 1024)}" alt="Foto">`

    const shown = await clean(large.repeat(3))

    expect(shown.match(/<img /g)).toHaveLength(1)
    expect(shown.match(/<span>Foto<\/span>/g)).toHaveLength(2)
  })

  it('never fetches and never runs anything, whatever it consists of', async () => {
    const piece = fc.constantFrom(
      ...[
        '<',
        '>',
        '"',
        "'",
        '=',
        '/',
        ' ',
        '&lt;',
        '&#x3c;',
        '\0',
        '\n',
        '<!--',
        '-->',
        '<![CDATA[',
        ']]>',
        '<?',
      ],
      ...[
        '<img ',
        '<a ',
        '<p ',
        '<svg>',
        '<math>',
        '<style>',
        '</style>',
        '<script>',
        '</script>',
        '<noscript>',
      ],
      ...[
        '<title>',
        '<textarea>',
        '<template>',
        '<iframe ',
        '<base ',
        '<table>',
        '<form ',
        '<x:y ',
        '<annotation-xml>',
      ],
      ...[
        'src',
        'href',
        'style',
        'onerror',
        'srcset',
        'background',
        'xlink:href',
        'https://x.example/a',
        'javascript:x()',
      ],
      ...['data:image/png;base64,AAAA', 'cid:a', 'url(x)', 'expression(x)', '@import', 'alt', 'Text'],
    )
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
        const shown = await clean(pieces.join(''))
        const tags = shown.match(/<[^>]*>/g) ?? []

        for (const tag of tags) {
          expect(tag).not.toMatch(
            /^<\/?(script|style|svg|math|iframe|base|form|object|link|meta|input|template|title)\b/i,
          )
          expect(tag).not.toMatch(/\s(on\w+|srcset|background|xlink:href|action)\s*=/i)
          expect(tag).not.toMatch(/\ssrc="(?!cid:|data:image\/(png|jpeg|gif|webp);base64,)/i)
          expect(tag).not.toMatch(/\shref="(?!https?:|mailto:|tel:)/i)
          expect(tag).not.toMatch(/style="[^"]*(url|expression|import)\s*\(/i)
        }
        // Clean HTML does not change when it is cleaned again: no text becomes a tag.
        expect(await clean(shown)).toBe(shown)
      }),
      { numRuns: 300 },
    )
  })
})

describe('HTML that is too large or too complicated', () => {
  it.each([
    ['5 MB of CSS', `<style>${'p{color:red}'.repeat(430_000)}</style><p>a</p>`, '<p>a</p>'],
    ['5 MB of comments', `<!--${'x'.repeat(5 * mebibyte)}--><p>a</p>`, '<p>a</p>'],
    ['5 MB of script', `<script>${'x'.repeat(5 * mebibyte)}</script><p>a</p>`, '<p>a</p>'],
    ['a style of 1 MB', `<p style="${'color:red;'.repeat(100_000)}">a</p>`, '<p>a</p>'],
    ['a title of 1 MB', `<p title="${'x'.repeat(mebibyte)}">a</p>`, `<p title="${'x'.repeat(500)}">a</p>`],
    ['blanks in a picture', `<img src="data:image/png;base64,A${' '.repeat(400_000)}!">a`, '<span></span>a'],
    ['5 MB of text', 'x'.repeat(5 * mebibyte), '<p>Der Text.</p>'],
    ['tags in each other', '<div>'.repeat(100_000), '<p>Der Text.</p>'],
    ['tables in each other', '<table><tr><td>'.repeat(20_000), '<p>Der Text.</p>'],
    ['a hundred thousand tags', '<b>x</b>'.repeat(100_000), '<p>Der Text.</p>'],
    ['a million entities', '&amp;'.repeat(400_000), '<p>Der Text.</p>'],
  ])('is shown in little time: %s', async (_, html, shown) => {
    const startedAt = cpuMilliseconds()

    expect(await clean(html)).toBe(shown)
    expect(cpuMilliseconds() - startedAt).toBeLessThan(15_000)
  })

  it.each([
    ['angle brackets', '<'.repeat(2_000_000)],
    ['end tags', '</p>'.repeat(500_000)],
    ['attributes', `<p ${'a=b '.repeat(500_000)}>`],
    ['different attributes', `<p ${Array.from({ length: 250_000 }, (_, at) => `a${at}`).join(' ')}>`],
    ['quotes', `<p title="${'&quot;'.repeat(300_000)}">`],
    ['declarations', '<!'.repeat(1_000_000)],
    ['instructions', '<?'.repeat(1_000_000)],
    ['begun comments', '<!-- -- '.repeat(250_000)],
    ['begun styles', '<style>'.repeat(300_000)],
    ['styles and their ends', '<style></style>'.repeat(300_000)],
    ['end tags of open ones', `${'<i>'.repeat(400)}${'</b>'.repeat(400_000)}`],
    ['ampersands', '&'.repeat(2_000_000)],
    ['names of a megabyte', `<${'a'.repeat(1_000_000)}>`],
    ['a link of a megabyte', `<a href="https://${'%00'.repeat(300_000)}">a</a>`],
    ['pictures of the mail', '<img src="cid:a">'.repeat(40_000)],
  ])('never stalls: %s', async (_, html) => {
    const startedAt = cpuMilliseconds()

    const shown = await clean(html)

    expect(cpuMilliseconds() - startedAt).toBeLessThan(15_000)
    expect(shown.length).toBeLessThanOrEqual(2 * mebibyte)
  })

  it('is replaced by the text: escaped, in paragraphs, and of bounded length', async () => {
    const text = 'Sehr geehrte <b>Frau</b> "Vogt",\r\n10/26\r\n\r\n\r\n> Alt\0 & neu\r\n'

    expect(await inboundHtml({ html: null, text })).toBe(
      '<p>Sehr geehrte &#60;b&#62;Frau&#60;/b&#62; &#34;Vogt&#34;,<br />10/26</p><p>&#62; Alt &#38; neu</p>',
    )
    const long = await inboundHtml({ html: null, text: 'x'.repeat(5 * mebibyte) })
    expect([long.length < 310_000, long.endsWith('[…]</p>')]).toEqual([true, true])
    expect(await inboundHtml({ html: null, text: '' })).toBe('')
  })
})
