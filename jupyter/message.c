/* message.c -- messages as frames: identities, a delimiter, the signature, then header, parent header, metadata and
 * content as JSON. The signature is an HMAC with SHA-256 over these four. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include <nettle/hmac.h>

#include "jupyter/internal.h"

static const char DELIMITER[] = "<IDS|MSG>";
enum { SIGNED_FRAMES = 4, SIGNATURE_CHARS = 2 * SHA256_DIGEST_SIZE + 1 };

void frames_add(Frames *f, const void *bytes, size_t n) {
    f->at = realloc(f->at, (size_t)(f->n + 1) * sizeof *f->at);
    if (!f->at) abort();
    f->at[f->n] = (Buf){0};
    buf_add(&f->at[f->n++], bytes, n);
}

void frames_free(Frames *f) {
    for (int i = 0; i < f->n; i++) buf_free(&f->at[i]);
    free(f->at);
    *f = (Frames){0};
}

/* Signatures ------------------------------------------------------------------------------------------------------- */

static void random_id(char out[ID_CHARS]) {
    unsigned char bytes[(ID_CHARS - 1) / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) abort();
    for (size_t i = 0; i < sizeof bytes; i++) snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

void signer_init(Signer *s, const char *key) {
    s->n = strlen(key);
    if (s->n >= KEY_BYTES) s->n = KEY_BYTES - 1;
    memcpy(s->key, key, s->n);
    random_id(s->session);
}

static void sign(const Signer *s, const Buf frames[SIGNED_FRAMES], char out[SIGNATURE_CHARS]) {
    struct hmac_sha256_ctx hmac;
    uint8_t digest[SHA256_DIGEST_SIZE];
    *out = 0;
    if (!s->n) return;
    hmac_sha256_set_key(&hmac, s->n, (const uint8_t *)s->key);
    for (int i = 0; i < SIGNED_FRAMES; i++) hmac_sha256_update(&hmac, frames[i].n, (const uint8_t *)frames[i].at);
    hmac_sha256_digest(&hmac, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++) snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

/* In the same time wherever they differ. */
static bool is_same(const Buf *given, const char *computed) {
    unsigned difference = given->n != strlen(computed);
    for (size_t i = 0; i < given->n && computed[i]; i++) difference |= (unsigned)(given->at[i] ^ computed[i]);
    return !difference;
}

/* Reading ---------------------------------------------------------------------------------------------------------- */

static struct json_object *parse(const Buf *text) {
    struct json_tokener *t = json_tokener_new();
    int n = (int)text->n + 1; /* with the zero byte, the end of a text */
    struct json_object *o = json_tokener_parse_ex(t, text->n ? text->at : "", n);
    bool ok = json_tokener_get_error(t) == json_tokener_success && json_object_is_type(o, json_type_object);
    json_tokener_free(t);
    if (ok) return o;
    json_object_put(o);
    return NULL;
}

Message *message_read(const Signer *s, Channel channel, const Frames *f) {
    int at = 0;
    char signature[SIGNATURE_CHARS];
    while (at < f->n && (f->at[at].n != strlen(DELIMITER) || memcmp(f->at[at].at, DELIMITER, f->at[at].n))) at++;
    const Buf *parts = &f->at[at + 1];
    if (at + 1 + SIGNED_FRAMES >= f->n) return NULL;
    sign(s, parts + 1, signature);
    if (s->n && !is_same(&parts[0], signature)) return NULL;
    Message *m = calloc(1, sizeof *m);
    if (!m) abort();
    m->channel = channel;
    m->header = parse(&parts[1]);
    buf_add(&m->header_text, parts[1].at, parts[1].n);
    m->content = parse(&parts[SIGNED_FRAMES]);
    for (int i = 0; i < at; i++) frames_add(&m->identities, f->at[i].at, f->at[i].n);
    if (m->header && m->content) return m;
    message_free(m);
    return NULL;
}

void message_free(Message *m) {
    frames_free(&m->identities);
    json_object_put(m->header);
    json_object_put(m->content);
    buf_free(&m->header_text);
    free(m);
}

const char *message_type(const Message *m) { return json_text(m->header, "msg_type"); }

/* Writing ---------------------------------------------------------------------------------------------------------- */

static struct json_object *new_header(const Signer *s, const char *type) {
    struct json_object *h = json_object_new_object();
    struct timespec now;
    struct tm utc;
    char id[ID_CHARS], date[64];
    random_id(id);
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    size_t n = strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(date + n, sizeof date - n, ".%06ldZ", now.tv_nsec / 1000);
    json_add_text(h, "msg_id", id);
    json_add_text(h, "session", s->session);
    json_add_text(h, "username", "kdslc");
    json_add_text(h, "date", date);
    json_add_text(h, "msg_type", type);
    json_add_text(h, "version", "5.3");
    return h;
}

static Buf text_of(struct json_object *o) {
    Buf out = {0};
    if (o) buf_puts(&out, json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
    else buf_puts(&out, "{}");
    return out;
}

Frames message_write(const Signer *s, const char *type, const Frames *identities, const Buf *parent,
                     struct json_object *content) {
    Frames out = {0};
    char signature[SIGNATURE_CHARS];
    struct json_object *header = new_header(s, type);
    Buf parts[SIGNED_FRAMES] = {text_of(header), text_of(NULL), text_of(NULL), text_of(content)};
    if (parent && parent->n) parts[1].n = 0, buf_add(&parts[1], parent->at, parent->n);
    for (int i = 0; identities && i < identities->n; i++) frames_add(&out, identities->at[i].at, identities->at[i].n);
    if (!identities) frames_add(&out, type, strlen(type)); /* the topic of a publication */
    frames_add(&out, DELIMITER, strlen(DELIMITER));
    sign(s, parts, signature);
    frames_add(&out, signature, strlen(signature));
    for (int i = 0; i < SIGNED_FRAMES; i++) frames_add(&out, parts[i].at, parts[i].n), buf_free(&parts[i]);
    json_object_put(header);
    json_object_put(content);
    return out;
}
