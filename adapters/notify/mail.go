package notify

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"html/template"
	"net"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"

	"github.com/wneessen/go-mail"

	"pasteport/domain/events"
)

// page is the HTML part of a mail: text and one link of our own. It loads nothing.
var page = template.Must(template.New("mail").Parse(`<!DOCTYPE html>
<html lang="{{.Language}}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>{{.Title}}</title></head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif">
<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3">{{.Title}}</h1>
{{with .Intro}}<p style="margin:0 0 16px">{{.}}</p>
{{end}}{{if .Lines}}<table style="border-collapse:collapse">
{{range .Lines}}<tr><th scope="row" style="padding:4px 16px 4px 0;text-align:start;vertical-align:top;font-weight:normal;opacity:.75">{{.Label}}</th><td style="padding:4px 0;overflow-wrap:anywhere">{{.Value}}</td></tr>
{{end}}</table>
{{end}}{{with .Link}}<p style="margin:16px 0 0"><a href="{{.}}">{{.}}</a></p>
{{end}}<p style="margin:24px 0 0;font-size:14px;opacity:.75">{{.Why}}</p>
</body>
</html>
`))

// mail sends a message by a mail server, with STARTTLS (smtp) or TLS from the
// beginning (smtps). A password never goes over a connection that is not encrypted.
func (s *Sender) mail(ctx context.Context, to events.Target, m events.Message) events.Outcome {
	message, err := s.letter(to, m)
	if err != nil {
		return events.Outcome{Problem: "unsendable"}
	}
	// The client leaves a connection open where signing in fails.
	var open net.Conn
	defer func() {
		if open != nil {
			_ = open.Close()
		}
	}()
	client, err := s.mailer(to, func(ctx context.Context, network, address string) (_ net.Conn, err error) {
		open, err = s.dial(ctx, network, address)
		return open, err
	})
	if err != nil {
		return events.Outcome{Problem: "unsendable"}
	}
	connection, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return undialled(err)
	}
	err = client.SendWithSMTPClient(connection, message)
	// Once the server has taken the message it does not matter how it says goodbye.
	_ = client.CloseWithSMTPClient(connection)
	return mailed(err)
}

// mailer is a client of the mail server of a channel.
func (s *Sender) mailer(to events.Target, dial mail.DialContextFunc) (*mail.Client, error) {
	u, err := url.Parse(to.Address)
	if err != nil {
		return nil, err
	}
	secure := &tls.Config{ServerName: u.Hostname(), RootCAs: s.roots, MinVersion: tls.VersionTLS12}
	port, options := 587, []mail.Option{mail.WithTLSConfig(secure), mail.WithoutNoop(), mail.WithHELO("pasteport")}
	switch {
	case u.Scheme == "smtps":
		port = 465
		options = append(options, mail.WithSSL(), mail.WithDialContextFunc(func(ctx context.Context, network, address string) (net.Conn, error) {
			plain, err := dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			conn := tls.Client(plain, secure)
			return conn, conn.HandshakeContext(ctx)
		}))
	case to.Options.User != "":
		options = append(options, mail.WithDialContextFunc(dial), mail.WithTLSPolicy(mail.TLSMandatory))
	default:
		options = append(options, mail.WithDialContextFunc(dial), mail.WithTLSPolicy(mail.TLSOpportunistic))
	}
	if to.Options.User != "" {
		password := ""
		if len(to.Secrets) > 0 {
			password = string(to.Secrets[0])
		}
		options = append(options, mail.WithOpportunisticSMTPAuth(mail.SMTPAuthSCRAMSHA256, mail.SMTPAuthPlain, mail.SMTPAuthLogin),
			mail.WithUsername(to.Options.User), mail.WithPassword(password))
	}
	if p, err := strconv.Atoi(u.Port()); err == nil {
		port = p
	}
	return mail.NewClient(u.Hostname(), append(options, mail.WithPort(port))...)
}

// letter writes a message as a mail, in text and in HTML.
func (s *Sender) letter(to events.Target, m events.Message) (*mail.Msg, error) {
	t := s.compose(to.Options.Language, m)
	message := mail.NewMsg()
	if err := message.FromFormat(t.Site, to.Options.From); err != nil {
		return nil, err
	}
	if err := message.To(to.Options.To...); err != nil {
		return nil, err
	}
	_, host, _ := strings.Cut(to.Options.From, "@")
	message.SetMessageIDWithValue(m.ID + "@" + host)
	message.SetDateWithValue(m.Sent)
	message.Subject(t.subject())
	message.SetGenHeader("Auto-Submitted", "auto-generated")
	message.SetGenHeader("X-Auto-Response-Suppress", "All")
	text := t.Title + "\n"
	if body := t.body(); body != "" {
		text += "\n" + body + "\n"
	}
	if t.Link != "" {
		text += "\n" + t.Link + "\n"
	}
	message.SetBodyString(mail.TypeTextPlain, text+"\n-- \n"+t.Why+"\n")
	var html bytes.Buffer
	if err := page.Execute(&html, t); err != nil {
		return nil, err
	}
	message.AddAlternativeString(mail.TypeTextHTML, html.String())
	return message, nil
}

// undialled is the outcome when a mail server was not reached or did not let us in.
func undialled(err error) events.Outcome {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var answer *textproto.Error
	switch {
	case errors.As(err, &certificate), errors.As(err, &record), strings.Contains(err.Error(), "STARTTLS"):
		return events.Outcome{Problem: "insecure", Away: true}
	case errors.As(err, &answer):
		out := events.Outcome{Status: answer.Code, Problem: "mail_refused", Detail: said(answer.Msg), Away: true}
		if answer.Code == 535 || answer.Code == 534 || answer.Code == 530 {
			out.Problem = "sign_in"
		}
		return out
	case strings.Contains(err.Error(), "SMTP AUTH"):
		return events.Outcome{Problem: "sign_in", Away: true}
	}
	return unsent(err)
}

// mailed is the outcome of what a mail server said of a message. One that it refuses
// for good (5xx) may be this message alone; one that it puts off (4xx) is everything.
func mailed(err error) events.Outcome {
	if err == nil {
		return events.Outcome{Status: 250}
	}
	var sent *mail.SendError
	if !errors.As(err, &sent) || sent.ErrorCode() == 0 {
		return unsent(err)
	}
	out := events.Outcome{Status: sent.ErrorCode(), Problem: "mail_refused", Away: sent.ErrorCode() < 500}
	if _, after, ok := strings.Cut(sent.Error(), strconv.Itoa(out.Status)+" "); ok {
		// The client quotes what the server said, once for each recipient.
		if words, err := strconv.QuotedPrefix(after); err == nil {
			after, _ = strconv.Unquote(words)
		}
		out.Detail = said(after)
	}
	if sent.Reason == mail.ErrSMTPRcptTo {
		out.Problem = "recipient"
	}
	return out
}

// said is what a server says, short and in one line.
func said(text string) string { return cut(plain(text), 200) }
