// Makes every call of Vendel's SDK and prints what it read. Arguments: as those of vendel-client.py.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	vendel "github.com/JimScope/vendel-sdk-go"
)

func must[T any](result T, err error) T {
	if err != nil {
		panic(err)
	}
	return result
}

func main() {
	ctx, url, to := context.Background(), os.Args[1], []string{"+4911111", "+4922222"}
	client := vendel.NewClient(url, os.Args[2])
	sent := must(client.SendSMS(ctx, vendel.SendSMSRequest{Recipients: to, Body: "Hi"}))
	template := vendel.SendSMSTemplateRequest{Recipients: []string{"+4933333"}, TemplateID: os.Args[4]}
	_, refused := client.SendSMS(ctx, vendel.SendSMSRequest{Recipients: []string{"017"}, Body: "Hi"})
	_, beyond := vendel.NewClient(url, os.Args[3]).SendSMS(ctx, vendel.SendSMSRequest{Recipients: to, Body: "Hi"})
	wrong, quota := refused.(*vendel.VendelError), beyond.(*vendel.QuotaError)
	android := "android"
	found := must(client.ListMessages(ctx, &vendel.ListMessagesOptions{BatchID: &sent.BatchID, Recipient: &to[1]}))
	groups := []string{}
	for _, group := range must(client.ListContactGroups(ctx, 1, 50)).Items {
		groups = append(groups, group.Name)
	}
	fmt.Println(string(must(json.Marshal([]any{
		sent.RecipientsCount,
		must(client.SendSMSTemplate(ctx, template)).RecipientsCount,
		must(client.GetQuota(ctx)).DevicesRegistered,
		must(client.GetMessageStatus(ctx, sent.MessageIDs[0])).Recipient,
		must(client.GetBatchStatus(ctx, sent.BatchID)).Total,
		[]string{must(client.ListContacts(ctx, vendel.ListContactsParams{Search: "zoe"})).Items[0].Name},
		groups,
		must(client.ListDevices(ctx, &vendel.ListDevicesOptions{DeviceType: &android})).TotalItems,
		[]string{found.Items[0].Recipient},
		[]any{wrong.StatusCode, wrong.Message},
		[]any{quota.StatusCode, quota.Message, quota.Limit, quota.Used, quota.Available},
		vendel.VerifyWebhookSignature(os.Args[5], os.Args[6], os.Args[7]),
	}))))
}
