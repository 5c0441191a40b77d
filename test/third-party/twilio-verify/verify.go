// Plays the life of verifications with Twilio's library for Go, and prints what came of each step.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/twilio/twilio-go"
	"github.com/twilio/twilio-go/client"
	verify "github.com/twilio/twilio-go/rest/verify/v2"
)

type here struct{ gateway *url.URL }

func (h here) RoundTrip(request *http.Request) (*http.Response, error) {
	request.URL.Scheme, request.URL.Host = h.gateway.Scheme, h.gateway.Host
	return http.DefaultTransport.RoundTrip(request)
}

var steps []string

func step(said string, err error) {
	var refused *client.TwilioRestError
	if errors.As(err, &refused) {
		said = fmt.Sprintf("%d %d", refused.Status, refused.Code)
	} else if err != nil {
		said = err.Error()
	}
	steps = append(steps, said)
}

func main() {
	gateway, _ := url.Parse(os.Args[1])
	ask := func(path string) string {
		answer, _ := http.Get(os.Args[2] + "/" + path)
		text, _ := io.ReadAll(answer.Body)
		return string(text)
	}
	inner := &client.Client{
		Credentials: client.NewCredentials(os.Args[3], os.Args[4]),
		HTTPClient:  &http.Client{Transport: here{gateway}},
	}
	inner.SetAccountSid(os.Args[3])
	api := twilio.NewRestClientWithParams(twilio.ClientParams{Client: inner}).VerifyV2

	shop, err := api.CreateService((&verify.CreateServiceParams{}).SetFriendlyName("Go").SetCodeLength(6))
	if err != nil {
		panic(err)
	}
	start := func(to string) (*verify.VerifyV2Verification, error) {
		return api.CreateVerification(*shop.Sid, (&verify.CreateVerificationParams{}).SetTo(to).SetChannel("sms"))
	}
	status := func(one *verify.VerifyV2Verification, err error) {
		if err != nil {
			step("", err)
		} else {
			step(*one.Status, nil)
		}
	}
	check := func(to, code string, valid bool) {
		params := (&verify.CreateVerificationCheckParams{}).SetTo(to).SetCode(code)
		one, err := api.CreateVerificationCheck(*shop.Sid, params)
		if err != nil {
			step("", err)
		} else if valid {
			step(fmt.Sprintf("%s %t", *one.Status, *one.Valid), nil)
		} else {
			step(*one.Status, nil)
		}
	}
	right, late, gone, many := "+4915133000001", "+4915133000002", "+4915133000003", "+4915133000004"
	status(start(right))
	code := ask("code")
	check(right, "000", false)
	check(right, code, true)
	check(right, code, false)
	status(start(late))
	ask("expire")
	check(late, ask("code"), false)
	canceled, _ := start(gone)
	status(api.FetchVerification(*shop.Sid, *canceled.Sid))
	status(api.UpdateVerification(*shop.Sid, *canceled.Sid, (&verify.UpdateVerificationParams{}).SetStatus("canceled")))
	check(gone, "000", false)
	start(many)
	for i := 0; i < 6; i++ {
		check(many, "000", false)
	}
	status(start("+881612345678"))
	status(start("0151"))
	_, err = api.FetchService("VA" + strings.Repeat("0", 32))
	step("", err)
	renamed, err := api.UpdateService(*shop.Sid, (&verify.UpdateServiceParams{}).SetFriendlyName("Go 2"))
	step(*renamed.FriendlyName, err)
	all, err := api.ListService((&verify.ListServiceParams{}).SetPageSize(1))
	found := false
	for _, one := range all {
		found = found || *one.Sid == *shop.Sid
	}
	step(fmt.Sprint(found), err)
	err = api.DeleteService(*shop.Sid)
	step(fmt.Sprint(err == nil), err)
	text, _ := json.Marshal(steps)
	fmt.Println(string(text))
}
