import { describe, expect, it } from 'vitest'
import { textOfHtml } from '#mail/mail-bodies.ts'
import { mailFacts } from '#mail/mail-facts.ts'
import { readMail } from '#mail/read-mail.ts'
import { triageOf } from '#test/mail-corpus/judge.ts'
import { cpuMilliseconds } from '#test/support/cpu-time.ts'

const number = 'Ihr Zeichen: 0012/26'

/** Text that nobody sees is no evidence (I5): it does not file a message and is not part of its text. */
describe('the text of HTML', () => {
  it.each([
    `<div style="display:none">${number}</div>`,
    `<div style="DISPLAY : None !important; display:block">${number}</div>`,
    `<div style="displ\\61 y:none">${number}</div>`,
    `<div style="/* a; */display:none;display:;display:x">${number}</div>`,
    `<div style="display:none"><p style="display:block">${number}</p></div>`,
    `<div style="display:none"><br><img src="x"><p>a<p>${number}</div>`,
    `<div style="font-size:0">${number}</div>`,
    `<div style="font-size:0px"><p style="font-size:100%">${number}</p></div>`,
    `<div style="font-size:0.01em">${number}</div>`,
    `<div style="font:0/0 Arial">${number}</div>`,
    `<div style="visibility:hidden"><b>${number}</b></div>`,
    `<div style="opacity:0">${number}</div>`,
    `<div style="max-height:0;overflow:hidden">${number}</div>`,
    `<div hidden>${number}</div>`,
    `<section><custom-tag hidden="">${number}</custom-tag></section>`,
    `<img src="https://x.example/a.png" alt="${number}">`,
    `<img src="data:image/png;base64,AAAA" alt="${number}">`,
    `<a hidden href="https://x.example/${encodeURI(number)}">a</a>`,
    `<table><tr style="display:none"><td>${number}</td></tr></table>`,
  ])('has nothing of %s', async (hidden) => {
    expect(await textOfHtml(`<p>Guten Tag</p>${hidden}<p>Gruß</p>`)).toMatch(/^Guten Tag\s+Gruß$/)
  })

  it.each([
    `<div>${number}</div>`,
    `<table><tr><td style="font-size:0px;padding:10px"><div style="font-size:13px">${number}</div></td></tr></table>`,
    `<div style="font-size:0"><p style="font:bold 13px/1.5 Arial">${number}</p></div>`,
    `<div style="visibility:hidden"><p style="visibility:visible">${number}</p></div>`,
    `<div style="font-size:10px;font-weight:400;opacity:1;height:0">${number}</div>`,
    `<div style="font:400 13px Arial">${number}</div>`,
    `<div style="display:none">a</div>${number}`,
    `<p style="display:none">a<p>${number}`,
    `<img src="x" hidden>${number}`,
    `<br style="display:none">${number}`,
  ])('has all of %s', async (shown) => {
    expect(await textOfHtml(`<p>Guten Tag</p>${shown}`)).toMatch(/^Guten Tag\s+Ihr Zeichen: 0012\/26$/)
  })

  it('is read in linear time, whatever its styles are', async () => {
    const styles = ['/*', '\\', ';', '!', ' ', 'font:1 ', '0'].map((part) =>
      part.repeat(400_000 / part.length),
    )

    for (const style of styles) {
      const start = cpuMilliseconds()
      expect(await textOfHtml(`<p style="${style}">a</p>`)).toBe('a')
      expect(cpuMilliseconds() - start).toBeLessThan(2_000)
    }
  })
})

describe('mail of a client that names the file', () => {
  const fileOf = async (html: string) => {
    const head =
      'From: Gerd Pohl <gerd.pohl@postfach.example>\r\nSubject: Neue Frage\r\nContent-Type: text/html'
    const message = await readMail(Buffer.from(`${head}\r\n\r\n<p>Guten Tag</p>${html}`))
    const facts = mailFacts(message, { received_on: '2026-11-20', verdict: 'passed', texts: [] })
    return triageOf({ ...facts, sender_verified: true }).auto_file
  }

  it('is filed if its reader sees the number', async () => {
    expect(await fileOf(`<p>${number}</p>`)).not.toBeNull()
  })

  it.each([
    `<p style="display:none">${number}</p>`,
    `<img alt="${number}">`,
  ])('is not filed by %s', async (hidden) => {
    expect(await fileOf(hidden)).toBeNull()
  })
})
