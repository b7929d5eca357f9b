package notify

// wording are the words of messages in one language.
type wording struct {
	why    string // with the title of the site
	of     string // of two numbers
	one    string // title of a digest of one event, with its time
	many   string // of more, with their number and the time of the first
	times  string // a name, and how often it happened to it
	join   string // between names
	kinds  map[string]told
	fields map[string]string
	values map[string]string
}

// told says how a kind of event is told.
type told struct {
	title  string
	named  string // the same, with the name of what it happened to
	name   string // the field that has this name
	often  string // label of how often it happened
	fields []string
	page   string // of the site that says more
}

var (
	opened  = []string{"views", "network"}
	arrived = []string{"size", "sender", "note", "place"}
	ending  = []string{"expires_at", "views"}
	refused = []string{"reason", "title", "size", "sender"}
	signIn  = []string{"username", "client_ip", "user_agent"}
	entry   = []string{"actor_name", "target", "outcome", "client_ip"}
)

// words are all of them, by language.
var words = map[string]wording{
	"en": {
		why: "You get this message because “%s” sends notifications to this address.",
		of:  "%s of %s",
		one: "One event since %s", many: "%d events since %s", times: "“%s” (%d)", join: ", ",
		kinds: map[string]told{
			"share.opened":       {title: "A share was opened", named: "“%s” was opened", name: "name", often: "Times", fields: opened},
			"share.used_up":      {title: "The last view of a share was used", named: "The last view of “%s” was used", name: "name", fields: opened},
			"share.expires_soon": {title: "A share expires soon", named: "“%s” expires soon", name: "name", fields: ending},
			"request.fulfilled":  {title: "A file arrived through a request", named: "“%s” arrived through a request", name: "name", fields: arrived},
			"request.refused":    {title: "An upload to a request was refused", named: "The upload “%s” was refused", name: "name", fields: refused},
			"backup.failed":      {title: "A backup failed", named: "The backup “%s” failed", name: "name", fields: []string{"problem"}, page: "/admin"},
			"storage.down":       {title: "A storage fails", named: "The storage “%s” fails", name: "name", fields: []string{"state"}, page: "/admin"},
			"storage.up":         {title: "A storage works again", named: "The storage “%s” works again", name: "name", page: "/admin"},
			"account.new_place":  {title: "Administrator signed in from a new network", fields: signIn, page: "/admin"},
			"channel.test":       {title: "Test message", named: "Test message for “%s”", name: "channel"},
			"audit.":             {title: "Audit log: new entry", named: "Audit log: %s", name: "action", fields: entry, page: "/admin/audit"},
		},
		fields: map[string]string{
			"time": "Time", "expires_at": "Expires", "reason": "Reason", "title": "Request", "views": "Views", "network": "Visitor’s network", "size": "Size", "sender": "From", "note": "Note", "place": "Saved to", "problem": "Problem", "username": "Account",
			"client_ip": "IP address", "user_agent": "Browser", "actor_name": "By", "target": "Target", "outcome": "Outcome", "state": "Problem",
		},
		values: map[string]string{"done": "Done", "failed": "Failed", "down": "No response", "refused": "Access refused",
			"type": "This kind of file isn’t accepted", "size": "The file is too large", "full": "The request is full", "deadline": "The deadline has passed", "capacity": "Not enough storage space",
			"policy": "A policy doesn’t allow it", "place": "Files can’t be saved there any more"},
	},
	"zh": {
		why: "“%s”的通知会发送到此地址，因此您收到这条消息。",
		of:  "%s / %s",
		one: "%s 以来的 1 个事件", many: "%[2]s 以来的 %[1]d 个事件", times: "“%s”（%d）", join: "、",
		kinds: map[string]told{
			"share.opened":       {title: "分享被打开", named: "“%s”被打开", name: "name", often: "次数", fields: opened},
			"share.used_up":      {title: "分享的查看次数已用完", named: "“%s”的查看次数已用完", name: "name", fields: opened},
			"share.expires_soon": {title: "分享即将过期", named: "“%s”即将过期", name: "name", fields: ending},
			"request.fulfilled":  {title: "文件收集收到文件", named: "文件收集收到“%s”", name: "name", fields: arrived},
			"request.refused":    {title: "文件收集拒绝了上传", named: "文件收集拒绝了“%s”", name: "name", fields: refused},
			"backup.failed":      {title: "备份失败", named: "备份“%s”失败", name: "name", fields: []string{"problem"}, page: "/admin"},
			"storage.down":       {title: "存储出现故障", named: "存储“%s”出现故障", name: "name", fields: []string{"state"}, page: "/admin"},
			"storage.up":         {title: "存储已恢复", named: "存储“%s”已恢复", name: "name", page: "/admin"},
			"account.new_place":  {title: "管理员在新网络登录", fields: signIn, page: "/admin"},
			"channel.test":       {title: "测试消息", named: "“%s”的测试消息", name: "channel"},
			"audit.":             {title: "审计日志：新记录", named: "审计日志：%s", name: "action", fields: entry, page: "/admin/audit"},
		},
		fields: map[string]string{
			"time": "时间", "expires_at": "过期时间", "reason": "原因", "title": "文件收集", "views": "查看次数", "network": "访问者网络", "size": "大小", "sender": "发送者", "note": "留言", "place": "保存位置", "problem": "问题", "username": "账号",
			"client_ip": "IP 地址", "user_agent": "浏览器", "actor_name": "操作者", "target": "对象", "outcome": "结果", "state": "问题",
		},
		values: map[string]string{"done": "成功", "failed": "失败", "down": "无响应", "refused": "拒绝访问",
			"type": "不接受这种类型的文件", "size": "文件过大", "full": "收集已满", "deadline": "已过截止时间", "capacity": "存储空间不足",
			"policy": "策略不允许", "place": "已无法保存到该位置"},
	},
}
