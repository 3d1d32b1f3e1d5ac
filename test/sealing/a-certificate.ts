import { crc32, deflateSync } from 'node:zlib'
import type { Certificate, CertifiedSigner } from '#signing/ports.ts'

/** A transparent PNG; `lines` of pixels stand in it whatever its header says. */
export function pngOf(width: number, height: number, lines = height): Uint8Array {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 6, 0, 0, 0], 8)
  const data = deflateSync(Buffer.alloc((width * 4 + 1) * lines, 0))
  return pngWith([pngChunk('IHDR', header), pngChunk('IDAT', data)])
}

/** A PNG of these chunks and its end. */
export function pngWith(chunks: Buffer[]): Uint8Array {
  const magic = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([magic, ...chunks, pngChunk('IEND', Buffer.alloc(0))])
}

/** A chunk, with another checksum if one is given. */
export function pngChunk(type: string, content: Buffer, checksum?: number): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  check.writeUInt32BE(checksum ?? crc32(named))
  return Buffer.concat([length, named, check])
}

/** The same PNG with one more chunk before its pixels. */
export function withChunk(png: Uint8Array, chunk: Buffer): Uint8Array {
  const afterHeader = 8 + 12 + 13
  return Buffer.concat([png.subarray(0, afterHeader), chunk, png.subarray(afterHeader)])
}

export const drawn = pngOf(300, 90)

/** A person who has signed with a drawn signature. */
export const anna: CertifiedSigner = {
  name: 'Łukasz Şahin-Großmann',
  email: 'lukasz.sahin@example.de',
  role: 'signer',
  sent_at: '2026-11-19T08:00:00.000Z',
  opened_at: '2026-11-19T09:00:01.000Z',
  signed_at: '2026-11-19T09:05:02.000Z',
  ip: '2001:db8::17',
  user_agent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15',
  consent: 'Ich unterschreibe die Dokumente elektronisch.',
  signed_name: 'Łukasz Şahin-Großmann',
  picture: drawn,
}

export function certificateOf(
  filename: string,
  mime_type: string,
  more: Partial<Certificate> = {},
): Certificate {
  return {
    language: 'de',
    office: 'Kanzlei Öztürk',
    envelope: { id: 'env_0197f9d2-0000-7000-8000-000000000001', title: 'Vollmacht Müller ./. Łódź GmbH' },
    document: { filename, mime_type },
    signers: [anna],
    audit_hash: 'a'.repeat(64),
    completed_at: '2026-11-20T10:15:30.000Z',
    ...more,
  }
}
